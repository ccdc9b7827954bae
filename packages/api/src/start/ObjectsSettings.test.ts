import { objectsUrlText } from "@atrium/domain/objects/ObjectPlace"
import { expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"

import { readServiceConfig } from "./ServiceConfig.ts"

const read = (env: Record<string, string>) =>
  readServiceConfig.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

const whole = {
  ATRIUM_OBJECTS_URL: "https://s3.example.com/rooms/eu",
  ATRIUM_OBJECTS_KEY_ID: "AKID",
  ATRIUM_OBJECTS_SECRET_KEY: "hush"
}

it.effect("[C-470] an S3 is a bucket and its credentials; a region is one of its settings", () =>
  Effect.gen(function* () {
    const { objects } = yield* read({ ...whole, ATRIUM_OBJECTS_REGION: "eu-central-1" })
    const { address, region, keyId, secretKey } = Option.getOrThrow(objects)
    expect([
      objectsUrlText(address),
      region,
      Redacted.value(keyId),
      Redacted.value(secretKey)
    ]).toEqual(["https://s3.example.com/rooms/eu", "eu-central-1", "AKID", "hush"])
    expect(Option.isNone((yield* read({})).objects)).toBe(true)
  })
)

it.effect.each<readonly [string, Record<string, string>, string]>([
  [
    "an address with a secret",
    { ...whole, ATRIUM_OBJECTS_URL: "https://hush:hush@s3.example.com/rooms" },
    "ATRIUM_OBJECTS_URL must be http(s)://host/bucket"
  ],
  [
    "no secret",
    { ATRIUM_OBJECTS_URL: whole.ATRIUM_OBJECTS_URL, ATRIUM_OBJECTS_KEY_ID: "AKID" },
    "ATRIUM_OBJECTS_URL is set without ATRIUM_OBJECTS_KEY_ID and ATRIUM_OBJECTS_SECRET_KEY"
  ],
  [
    "a secret twice",
    { ...whole, ATRIUM_OBJECTS_SECRET_KEY_FILE: "/hush" },
    "ATRIUM_OBJECTS_SECRET_KEY and ATRIUM_OBJECTS_SECRET_KEY_FILE are both set"
  ],
  ["a secret alone", { ATRIUM_OBJECTS_SECRET_KEY: "hush" }, "ATRIUM_OBJECTS_URL is not set"],
  ["a region alone", { ATRIUM_OBJECTS_REGION: "eu" }, "ATRIUM_OBJECTS_URL is not set"],
  [
    "a wrong region",
    { ...whole, ATRIUM_OBJECTS_REGION: "EU hush" },
    "ATRIUM_OBJECTS_REGION must be the name of a region"
  ]
])("[C-470] %s is refused by name, without the secret", ([, env, said]) =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(read(env))
    expect(message).toContain(said)
    expect(message).not.toContain("hush")
  })
)
