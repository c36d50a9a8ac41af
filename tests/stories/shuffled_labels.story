# name: where labels mean nothing, nothing is decoded
bank         shuffled
instruments  warm words
expect       detection[facet=affective].p > 0.01
expect       detection[facet=affective].status != DECODABLE
expect       verdict.affective.control contains UNMEASURABLE|INCONCLUSIVE
