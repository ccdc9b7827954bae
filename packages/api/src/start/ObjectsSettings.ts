import type { S3Settings } from "@atrium/actors/objects/S3Requests"
import { readObjectsUrl } from "@atrium/domain/objects/ObjectPlace"
import { Config, Effect, Option } from "effect"

import { readSecret, secretSetting } from "./SecretSettings.ts"

/** The settings of an S3, as the environment has them. */
export const objectsSettings = Config.all({
  url: Config.option(Config.String("ATRIUM_OBJECTS_URL")),
  region: Config.String("ATRIUM_OBJECTS_REGION").pipe(Config.withDefault("")),
  keyId: secretSetting("ATRIUM_OBJECTS_KEY_ID"),
  secretKey: secretSetting("ATRIUM_OBJECTS_SECRET_KEY")
})
type ObjectsSettings = Config.Success<typeof objectsSettings>

/**
 * Reads where the bytes of large objects go.
 *
 * @returns a sentence on what does not fit, which repeats neither secret
 */
export const readObjectsSettings = (
  given: ObjectsSettings
): Effect.Effect<Option.Option<S3Settings>, string> =>
  Effect.gen(function* () {
    const { url, region } = given
    const keyId = yield* readSecret("ATRIUM_OBJECTS_KEY_ID", given.keyId)
    const secretKey = yield* readSecret("ATRIUM_OBJECTS_SECRET_KEY", given.secretKey)
    if (Option.isNone(url)) {
      if (Option.isNone(keyId) && Option.isNone(secretKey) && region === "") return Option.none()
      return yield* Effect.fail(
        "ATRIUM_OBJECTS_URL is not set, and another variable of the S3 is: set it, too, or none of them."
      )
    }
    const address = readObjectsUrl(url.value)
    if (address === null) {
      // The address may hold a secret, where none belongs.
      return yield* Effect.fail(
        "ATRIUM_OBJECTS_URL must be http(s)://host/bucket or http(s)://host/bucket/prefix, of a-z A-Z 0-9 . _ -, " +
          "without a user, a query and a fragment."
      )
    }
    if (Option.isNone(keyId) || Option.isNone(secretKey)) {
      return yield* Effect.fail(
        "ATRIUM_OBJECTS_URL is set without ATRIUM_OBJECTS_KEY_ID and ATRIUM_OBJECTS_SECRET_KEY: set both."
      )
    }
    if (!/^[a-z0-9-]{0,40}$/.test(region)) {
      return yield* Effect.fail(
        "ATRIUM_OBJECTS_REGION must be the name of a region, such as eu-central-1."
      )
    }
    return Option.some({ address, region, keyId: keyId.value, secretKey: secretKey.value })
  })
