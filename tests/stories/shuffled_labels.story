# name: where labels mean nothing, nothing is decoded
bank         shuffled
instruments  warm words
expect       detection.affective.p > 0.01
expect       detection.affective.status != DECODABLE
expect       verdict.affective.control contains UNMEASURABLE|INCONCLUSIVE
