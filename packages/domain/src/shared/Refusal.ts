import { Schema } from "effect"

export { RehearsalFailed, SchemaBreaking } from "../migrations/MigrationRefusal.ts"
export { PartyFull, PartyUnknown, QueueNoType } from "../match/MatchRefusal.ts"
export { ClipCooldown, ClipDisarmed, ClipTooLarge, ReplayOff } from "../replay/ReplayRefusal.ts"
export * from "./PlayerRefusal.ts"

/**
 * Every refusal that the service answers with, one class per public code: the tag is the code on the wire, in logs and in
 * metrics. What has no class here is a defect, never a refusal. Codes that exist inside a room connection only are rows of
 * `RoomRefusal.ts`. A `message` is made with `serviceMessage` (96 bytes). Where the specification demands identical answers
 * the class takes no fields: there is nothing to vary.
 */
const fields = { message: Schema.String }

/** A parameter, field or body that the route does not take. 400. Spec: Errors; D-02. */
export class BadRequest extends Schema.TaggedError<BadRequest>()("E_BAD_REQUEST", fields, {
  httpApiStatus: 400
}) {}

/** No credential, an unknown one, a revoked one, or one of the wrong kind. 401. Spec: Authentication rule 5. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()(
  "E_UNAUTHENTICATED",
  {},
  { httpApiStatus: 401 }
) {
  override get message(): string {
    return "the credential is missing or not valid"
  }
}

/** A project that the caller cannot reach, be it foreign or not there at all. 404. Spec: Authentication rule 3. */
export class NotFound extends Schema.TaggedError<NotFound>()(
  "E_NOT_FOUND",
  {},
  { httpApiStatus: 404 }
) {
  override get message(): string {
    return "not found"
  }
}

/** A valid key without the scope that the route needs, which the message names. 403. Spec: Authentication rule 5. */
export class ScopeMissing extends Schema.TaggedError<ScopeMissing>()("E_SCOPE", fields, {
  httpApiStatus: 403
}) {}

/** A key id that the project does not have, be it another project's or unknown. 404. D-19. */
export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()(
  "E_KEY_NOT_FOUND",
  {},
  { httpApiStatus: 404 }
) {
  override get message(): string {
    return "keyId: the project has no such key"
  }
}

/** A save generation that the room does not have. 404. D-11. */
export class SaveNotFound extends Schema.TaggedError<SaveNotFound>()("E_SAVE_NOT_FOUND", fields, {
  httpApiStatus: 404
}) {}

/** A room has this id already. 409. D-58. */
export class RoomExists extends Schema.TaggedError<RoomExists>()("E_ROOM_EXISTS", fields, {
  httpApiStatus: 409
}) {}

/** A client that the room does not have, or has no more. 404. D-60. */
export class ClientNotFound extends Schema.TaggedError<ClientNotFound>()(
  "E_CLIENT_NOT_FOUND",
  {},
  { httpApiStatus: 404 }
) {
  override get message(): string {
    return "clientId: the room has no such client"
  }
}

/** A room for trying, to which the rest of the project is closed, and which is closed to others. 409. D-58, D-60. */
export class BranchRefused extends Schema.TaggedError<BranchRefused>()("E_BRANCH", fields, {
  httpApiStatus: 409
}) {}

/** A page of an origin that may not ask: with a session cookie, or for a project that does not list it. 403. D-23, D-30. */
export class OriginRefused extends Schema.TaggedError<OriginRefused>()("E_ORIGIN", fields, {
  httpApiStatus: 403
}) {}

/** A device's login that nobody has allowed yet: the device asks again after the interval. 409. D-23. */
export class LoginPending extends Schema.TaggedError<LoginPending>()(
  "E_LOGIN_PENDING",
  {},
  { httpApiStatus: 409 }
) {
  override get message(): string {
    return "the login waits for somebody to allow it"
  }
}

/** A device's login that never was, was denied, is over, or has given its token. 404. D-23. */
export class LoginCodeUnknown extends Schema.TaggedError<LoginCodeUnknown>()(
  "E_LOGIN_CODE",
  {},
  { httpApiStatus: 404 }
) {
  override get message(): string {
    return "the code is not, or no longer, that of a login"
  }
}

/** An invitation that never was, is over, was withdrawn, or has been accepted. 404. C-66. */
export class InvitationUnknown extends Schema.TaggedError<InvitationUnknown>()(
  "E_INVITATION",
  {},
  { httpApiStatus: 404 }
) {
  override get message(): string {
    return "the invitation is not, or no longer, valid"
  }
}

/** As many invitations of an account as there may be are open. 409. C-66. */
export class InvitationsFull extends Schema.TaggedError<InvitationsFull>()(
  "E_INVITATIONS_FULL",
  fields,
  { httpApiStatus: 409 }
) {}

/** More of something than its limit allows in that time. 429 with `retry-after`. D-26. */
export class RateLimited extends Schema.TaggedError<RateLimited>()(
  "E_RATE_LIMITED",
  { retryAfterMs: Schema.Int },
  { httpApiStatus: 429 }
) {
  override get message(): string {
    return "too many requests; ask again later"
  }
}

/** The project's rooms have no audience: its role is off, or its rooms are not relay rooms. 403. D-29. */
export class AudienceDisabled extends Schema.TaggedError<AudienceDisabled>()(
  "E_AUDIENCE_DISABLED",
  {},
  { httpApiStatus: 403 }
) {
  override get message(): string {
    return "the project's rooms have no audience"
  }
}

/** A board that the project does not declare, which the message names. 404. D-34, C-586. */
export class BoardUnknown extends Schema.TaggedError<BoardUnknown>()("E_BOARD_UNKNOWN", fields, {
  httpApiStatus: 404
}) {}

/** A login that the account does not have. 404. D-23. */
export class TokenNotFound extends Schema.TaggedError<TokenNotFound>()(
  "E_TOKEN_NOT_FOUND",
  {},
  { httpApiStatus: 404 }
) {
  override get message(): string {
    return "tokenId: the account has no such login"
  }
}

/** DELETE of an awake room without `force=true`, or of any relay room. 409. Spec: Rooms rules 7 and 8. */
export class RoomInUse extends Schema.TaggedError<RoomInUse>()("E_ROOM_IN_USE", fields, {
  httpApiStatus: 409
}) {}

/** PATCH `public` of a room whose game has started. 409. Spec: Rooms rule 5; D-21. */
export class RoomStarted extends Schema.TaggedError<RoomStarted>()("E_ROOM_STARTED", fields, {
  httpApiStatus: 409
}) {}

/** The server that holds the room, which the message names, is out of reach; nothing was deleted. 502. Spec: Rooms rule 8. */
export class EvictFailed extends Schema.TaggedError<EvictFailed>()("E_EVICT_FAILED", fields, {
  httpApiStatus: 502
}) {}

/** The path exists, but not with this method. 405. D-02. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()(
  "E_METHOD_NOT_ALLOWED",
  fields,
  { httpApiStatus: 405 }
) {}

/** A body of more than 1 MiB. 413. D-02. */
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("E_BODY_TOO_LARGE", fields, {
  httpApiStatus: 413
}) {}

/** A bundle of more than 32 MiB. 413. D-40. */
export class BundleTooLarge extends Schema.TaggedError<BundleTooLarge>()(
  "E_BUNDLE_TOO_LARGE",
  fields,
  { httpApiStatus: 413 }
) {}

/** A bundle that does not load, or declares no usable room type. 400. */
export class BundleInvalid extends Schema.TaggedError<BundleInvalid>()("E_BUNDLE_INVALID", fields, {
  httpApiStatus: 400
}) {}

/** A rollback to a version that the project does not have; the message names it. 404. C-350. */
export class VersionNotFound extends Schema.TaggedError<VersionNotFound>()(
  "E_VERSION_NOT_FOUND",
  fields,
  { httpApiStatus: 404 }
) {}

/** A rollback that would change nothing, or of a project that has no version before. 409. C-350. */
export class NoRollback extends Schema.TaggedError<NoRollback>()("E_NO_ROLLBACK", fields, {
  httpApiStatus: 409
}) {}

/** A JWT secret exists already and `rotate` was not asked for. 409. D-25. */
export class SecretExists extends Schema.TaggedError<SecretExists>()("E_SECRET_EXISTS", fields, {
  httpApiStatus: 409
}) {}

/** Another folder has the project under `atrium dev`. 409. C-227. */
export class DevHeld extends Schema.TaggedError<DevHeld>()("E_DEV_HELD", fields, {
  httpApiStatus: 409
}) {}

/** The project has no site. 404. C-355. */
export class SiteNotFound extends Schema.TaggedError<SiteNotFound>()(
  "E_SITE_NOT_FOUND",
  {},
  { httpApiStatus: 404 }
) {
  override get message(): string {
    return "the project has no site"
  }
}

/** An upload that never was, was finished, or is over an hour old. 404. C-357. */
export class UploadNotFound extends Schema.TaggedError<UploadNotFound>()(
  "E_UPLOAD_NOT_FOUND",
  {},
  { httpApiStatus: 404 }
) {
  override get message(): string {
    return "upload: not one of the project's that may be finished"
  }
}

/** The label is another project's, which the message does not name. 409. C-356. */
export class LabelTaken extends Schema.TaggedError<LabelTaken>()("E_LABEL_TAKEN", fields, {
  httpApiStatus: 409
}) {}

/** Content that is not what its hash says, or that the upload does not list. 400. C-357. */
export class SiteFileRefused extends Schema.TaggedError<SiteFileRefused>()("E_SITE_FILE", fields, {
  httpApiStatus: 400
}) {}

/** Content of the upload has not come yet; the message says how many files. 409. C-357. */
export class UploadIncomplete extends Schema.TaggedError<UploadIncomplete>()(
  "E_UPLOAD_INCOMPLETE",
  fields,
  { httpApiStatus: 409 }
) {}

/** The site and the uploads of the project hold as many bytes as they may. 409. C-357. */
export class UploadsFull extends Schema.TaggedError<UploadsFull>()("E_UPLOADS_FULL", fields, {
  httpApiStatus: 409
}) {}

/** Every port that the operator gave for sites has its site. 409. C-358. */
export class SitePortsTaken extends Schema.TaggedError<SitePortsTaken>()(
  "E_SITE_PORTS",
  {},
  { httpApiStatus: 409 }
) {
  override get message(): string {
    return "every port of ATRIUM_STATIC_PORTS has a site: the operator must give more"
  }
}

/** A fault of the service itself. 500. D-02. */
export class Internal extends Schema.TaggedError<Internal>()(
  "E_INTERNAL",
  {},
  { httpApiStatus: 500 }
) {
  override get message(): string {
    return "the service failed; the operator's log says more"
  }
}

/** The store or the cluster does not answer. 503 with `retry-after`. D-51, C-45. */
export class NotReady extends Schema.TaggedError<NotReady>()("E_NOT_READY", fields, {
  httpApiStatus: 503
}) {}

/** A room with neither a row nor stored state, and no type to create it from. 404 / 4404. Spec: Rooms rule 3. */
export class RoomNotFound extends Schema.TaggedError<RoomNotFound>()("E_ROOM_NOT_FOUND", fields, {
  httpApiStatus: 404
}) {}

/** The server has no slot left for the room, or is going down. 503 / 4503; clients retry. Spec: Errors; D-46. */
export class TenantWaking extends Schema.TaggedError<TenantWaking>()("E_TENANT_WAKING", fields, {
  httpApiStatus: 503
}) {}

/** A usage cap of the project refuses new work; the message names its meter. 402 / 4402; clients stop. D-45. */
export class CapReached extends Schema.TaggedError<CapReached>()("E_CAP_REACHED", fields, {
  httpApiStatus: 402
}) {}

/** The room's code failed at its start, or three times within a minute. 1011. D-22. */
export class RoomCrashed extends Schema.TaggedError<RoomCrashed>()("E_ROOM_CRASHED", fields, {
  httpApiStatus: 500
}) {}

/** A value of player KV of more than 16 KiB of JSON. 413. D-36. */
export class KvValueTooLarge extends Schema.TaggedError<KvValueTooLarge>()(
  "E_KV_VALUE_TOO_LARGE",
  fields,
  { httpApiStatus: 413 }
) {}

/** A key of player KV of more than 256 bytes. 400. D-36. */
export class KvKeyTooLong extends Schema.TaggedError<KvKeyTooLong>()("E_KV_KEY_TOO_LONG", fields, {
  httpApiStatus: 400
}) {}

/** The id of a player with KV is of more than 256 bytes. 400. D-36. */
export class KvPlayerIdTooLong extends Schema.TaggedError<KvPlayerIdTooLong>()(
  "E_KV_PLAYER_ID_TOO_LONG",
  fields,
  { httpApiStatus: 400 }
) {}

/** The player has 128 keys, and the write is of another one. 409. D-36. */
export class KvKeysFull extends Schema.TaggedError<KvKeysFull>()("E_KV_KEYS_FULL", fields, {
  httpApiStatus: 409
}) {}

/** The project has 1,000,000 rows of KV, and the write would add one. 409. D-36. */
export class KvRowsFull extends Schema.TaggedError<KvRowsFull>()("E_KV_ROWS_FULL", fields, {
  httpApiStatus: 409
}) {}

/** More reads, or more writes and deletes, of a project's KV than it may have. 429 with `retry-after`. D-36. */
export class KvRate extends Schema.TaggedError<KvRate>()(
  "E_KV_RATE",
  { retryAfterMs: Schema.Int },
  { httpApiStatus: 429 }
) {
  override get message(): string {
    return `the project asks its KV too often; ask again in ${this.retryAfterMs} ms`
  }
}

/** A key that the player does not have. 404. C-574. */
export class KvKeyNotFound extends Schema.TaggedError<KvKeyNotFound>()(
  "E_KV_KEY_NOT_FOUND",
  {},
  { httpApiStatus: 404 }
) {
  override get message(): string {
    return "key: the player has no such key"
  }
}
