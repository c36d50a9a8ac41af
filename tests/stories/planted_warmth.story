# name: planted warmth is found, its sham is not
bank         warm
instruments  warm words, echo
expect       detection[facet=affective].status != NOT_DECODABLE
expect       detection[facet=affective].p <= 0.01
expect       detection[facet=affective].concordance >= 0.9
expect       instruments[name=warm words].certified = true
expect       effects[arm=steer affective +2;instrument=warm words].lo95 > 0.1
expect       effects[arm=placebo affective isotropic 1;instrument=warm words].theta < 0.1
expect       effects[arm=placebo affective isotropic 2;instrument=warm words].theta < 0.1
expect       effects[arm=steer affective -2;instrument=warm words].hi95 < 0
expect       placebos[instrument=warm words].contrast_lo95 > 0
expect       verdict.affective.control contains PARTIAL|CONTROLS
expect       verdict.affective.perceive = UNTESTED
