# name: a blind instrument gives UNMEASURABLE, never a zero
bank         warm
instruments  blind
expect       instruments[name=blind].certified = false
expect       verdict.affective.control = UNMEASURABLE
