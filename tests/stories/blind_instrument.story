# name: a blind instrument gives UNMEASURABLE, never a zero
bank         warm
instruments  blind
expect       instruments[instrument=blind].certified = false
expect       verdict.affective.control = UNMEASURABLE
