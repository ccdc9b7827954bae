import { Data } from "effect"

/** Bytes that the S3 did not take or give. The message holds neither a secret nor what a tenant wrote. */
export class ObjectsFailure extends Data.TaggedError("ObjectsFailure")<{
  readonly message: string
  /** It may work later: the S3 is away, full, or does not know the credentials any more. */
  readonly away: boolean
}> {}
