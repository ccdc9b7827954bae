import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire, rateLimitedOnWire } from "../http/onWire.ts"
import { projectPart } from "../http/PathParts.ts"
import { plainText } from "../http/PlainText.ts"
import {
  BadRequest,
  DeviceLimit,
  DeviceNotFound,
  LinkCodeInvalid,
  NotFound,
  OriginRefused,
  Unauthenticated
} from "../shared/Refusal.ts"
import { AccountLimits } from "./AccountLimits.ts"

/** A device of an account. */
const Device = Schema.Struct({
  deviceId: Schema.String,
  label: Schema.NullOr(Schema.String),
  linkedAt: Moment,
  /** It is the one that asks. */
  current: Schema.Boolean
}).annotate({ identifier: "PlayerDevice", description: "A device of a player's account." })

const Devices = Schema.Array(Device)

/** A player with the devices that are this player. `accountId` is the player's id. */
const Account = Schema.Struct({ accountId: Schema.String, devices: Devices }).annotate({
  identifier: "PlayerAccount",
  description: "A player, and the devices that are this player."
})

/** What a deletion has removed, and where the rest is. */
export const Deleted = Schema.Struct({
  accountId: Schema.String,
  deleted: Schema.Literal(true),
  /** Scores and ratings stay under this id, which nobody has. */
  scoresKeptAs: Schema.String
}).annotate({
  identifier: "PlayerDeleted",
  description: "All that was kept of the player is gone; scores and ratings have a random id now."
})

/** A page of all that is kept of a player. */
export const Export = Schema.Struct({
  accountId: Schema.String,
  /** Whose rows the page has: the player, or an identity before it was linked. */
  playerId: Schema.String,
  /** Rows by kind: moments in ISO 8601, bytes in base64. */
  rows: Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.Unknown))),
  /** Ask for the next page with it; `null` = this is the last one. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "PlayerExport", description: "A page of all that is kept of a player." })

const label = Schema.optionalKey(plainText(AccountLimits.deviceLabelChars.max))
const ofProject = { project: projectPart.id }
const devicePart = {
  deviceId: Schema.String.annotate({
    description: "The id of a device, from the list of devices.",
    examples: ["dev_0123456789abcdef"]
  })
}
const bearer = "The bearer is an identity token of the project, as `POST /v1/identity` gives it."
const common = [
  onWire(NotFound),
  onWire(Unauthenticated),
  onWire(OriginRefused),
  rateLimitedOnWire
] as const

/** Open endpoints of players: the project id, and the player's own identity token. Source: D-26, D-28. */
export class AccountApi extends HttpApiGroup.make("account")
  .annotateMerge(
    OpenApi.annotations({
      title: "Player accounts",
      description:
        "Several devices that are one player; what is kept of a player, and its deletion."
    })
  )
  .add(
    HttpApiEndpoint.post("linkCode", "/v1/account/link-code", {
      query: NoQuery,
      payload: Schema.Struct(ofProject),
      success: Schema.Struct({ code: Schema.String, expiresAt: Moment }).pipe(
        HttpApiSchema.status(201)
      ),
      error: common
    })
      .annotate(
        OpenApi.Summary,
        "Makes a code with which another device becomes this player, once, within ten minutes."
      )
      .annotate(OpenApi.Description, bearer),
    HttpApiEndpoint.post("link", "/v1/account/link", {
      query: NoQuery,
      payload: Schema.Struct({ ...ofProject, code: Schema.String, label }),
      success: Account,
      error: [...common, onWire(LinkCodeInvalid), onWire(DeviceLimit)]
    })
      .annotate(OpenApi.Summary, "Makes the caller a device of the account that has the code.")
      .annotate(OpenApi.Description, bearer),
    HttpApiEndpoint.get("read", "/v1/account", {
      query: ofProject,
      success: Account,
      error: common
    })
      .annotate(OpenApi.Summary, "Tells the player that the caller is, and its devices.")
      .annotate(OpenApi.Description, bearer),
    HttpApiEndpoint.delete("delete", "/v1/account", {
      query: ofProject,
      success: Deleted,
      error: common
    })
      .annotate(
        OpenApi.Summary,
        "Deletes the player: identity, devices and all that is kept, but for scores and ratings."
      )
      .annotate(OpenApi.Description, bearer),
    HttpApiEndpoint.get("export", "/v1/account/export", {
      query: { ...ofProject, after: Schema.optionalKey(Schema.String) },
      success: Export,
      error: [...common, onWire(BadRequest)]
    })
      .annotate(OpenApi.Summary, "Tells all that is kept of the player, page by page.")
      .annotate(OpenApi.Description, bearer),
    HttpApiEndpoint.get("devices", "/v1/account/devices", {
      query: ofProject,
      success: Devices,
      error: common
    })
      .annotate(OpenApi.Summary, "Lists the devices of the player, the first one first.")
      .annotate(OpenApi.Description, bearer),
    HttpApiEndpoint.post("register", "/v1/account/devices", {
      query: NoQuery,
      payload: Schema.Struct({ ...ofProject, label }),
      success: Schema.Struct({ device: Device, credential: Schema.String }).pipe(
        HttpApiSchema.status(201)
      ),
      error: [...common, onWire(DeviceLimit)]
    })
      .annotate(
        OpenApi.Summary,
        "Gives the caller's device a credential, shown in this answer only, with which it stays the same player."
      )
      .annotate(
        OpenApi.Description,
        `${bearer} \`POST /v1/identity\` takes the credential as \`device\`. One that the device had before ends.`
      ),
    HttpApiEndpoint.delete("revoke", "/v1/account/devices/:deviceId", {
      params: devicePart,
      query: ofProject,
      success: Device,
      error: [...common, onWire(DeviceNotFound)]
    })
      .annotate(OpenApi.Summary, "Ends a device of the player at once: its tokens, its credential.")
      .annotate(OpenApi.Description, bearer)
  ) {}
