import { Schema } from "effect"

/** A party code that never was, is over, or is of another queue. 404. D-31. */
export class PartyUnknown extends Schema.TaggedError<PartyUnknown>()(
  "E_PARTY_CODE",
  {},
  { httpApiStatus: 404 }
) {
  override get message(): string {
    return "party: the code is not, or no longer, one of this queue"
  }
}

/** As many players as the party is for wait in it. 409. D-31. */
export class PartyFull extends Schema.TaggedError<PartyFull>()(
  "E_PARTY_FULL",
  {},
  { httpApiStatus: 409 }
) {
  override get message(): string {
    return "party: everybody whom it is for is in it"
  }
}

/** No room type plays the queue, which the message names. 409. D-54. */
export class QueueNoType extends Schema.TaggedError<QueueNoType>()(
  "E_QUEUE_NO_TYPE",
  { message: Schema.String },
  { httpApiStatus: 409 }
) {}
