# name: a blind instrument that is spent all the same still says UNMEASURABLE
bank         warm
instruments  blind always
expect       effects[arm=steer affective +2;instrument=blind].instrument = blind
expect       verdict.affective.control = UNMEASURABLE
