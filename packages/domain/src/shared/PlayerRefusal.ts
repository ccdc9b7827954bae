import { Schema } from "effect"

/** An assertion that proves no player to the project. It does not tell the reason. 401. D-27. */
export class AssertionInvalid extends Schema.TaggedError<AssertionInvalid>()(
  "E_ASSERTION_INVALID",
  {},
  { httpApiStatus: 401 }
) {
  override get message(): string {
    return "the assertion is not valid for this project"
  }
}

/** The keys of an identity provider could not be read, so an assertion was not judged. 502. C-542. */
export class ProviderUnreachable extends Schema.TaggedError<ProviderUnreachable>()(
  "E_PROVIDER_UNREACHABLE",
  { message: Schema.String },
  { httpApiStatus: 502 }
) {}

/** A link code that is wrong, has expired or was used: one answer for all of them. 404. D-28. */
export class LinkCodeInvalid extends Schema.TaggedError<LinkCodeInvalid>()(
  "E_LINK_CODE",
  {},
  { httpApiStatus: 404 }
) {
  override get message(): string {
    return "the link code is not valid"
  }
}

/** The account, or the whole project, has as many devices as it may have. 409. D-28, C-643. */
export class DeviceLimit extends Schema.TaggedError<DeviceLimit>()(
  "E_DEVICE_LIMIT",
  { message: Schema.String },
  { httpApiStatus: 409 }
) {}

/** A device that the caller's account does not have. 404. C-544. */
export class DeviceNotFound extends Schema.TaggedError<DeviceNotFound>()(
  "E_DEVICE_NOT_FOUND",
  {},
  { httpApiStatus: 404 }
) {
  override get message(): string {
    return "no such device"
  }
}
