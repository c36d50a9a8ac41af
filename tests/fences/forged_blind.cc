// A BlindReply is made by blind() only: nobody can slip an arm or a dose into it.
// expect: is private within this context
#include "instrument/instrument.h"

sonder::instrument::BlindReply forge(const sonder::model::Reply& reply) {
#ifdef PLANT
  return sonder::instrument::BlindReply("steer affective +4", reply.text);
#else
  return sonder::instrument::blind("a message", reply);
#endif
}
