// An instrument cannot be handed an unblinded reply.
// expect: cannot convert|no matching function|could not convert
#include "instrument/instrument.h"

void judge(sonder::instrument::Instrument& meter, const sonder::model::Reply& reply,
           const sonder::Cancel& cancel) {
#ifdef PLANT
  const std::vector<sonder::model::Reply> replies = {reply};
#else
  const std::vector<sonder::instrument::BlindReply> replies = {sonder::instrument::blind("a message", reply)};
#endif
  (void)meter.score("affective", replies, {}, cancel);
}
