# name: a steer arm that hardly pushes is not called an effect
bank         warm
instruments  warm words, echo
plan         steer: {layer: 1, doses: [0.002], negative: [-0.002], placebos: {isotropic: 2, variance: 0, shuffled: 0, formality: 0}, random_ablations: 1}
expect       instruments[name=warm words].certified = true
expect       verdict.affective.control contains NO_EFFECT_EQUIVALENT|TRIVIAL|INCONCLUSIVE
expect       effects[arm=steer affective +0.002;instrument=warm words].hi95 < 0.1
