import { describe, expect, test } from "vitest"

import {
  isInvitationId,
  isKeyId,
  isRehearsalId,
  isProjectId,
  isRoomId,
  isSecret,
  isTokenId,
  ProjectId,
  RoomId,
  roomKeyOf,
  roomKeyText,
  SecretPrefix,
  withoutSecrets
} from "./Ids.ts"

const hex = "0123456789abcdef"

test.each(["dev", `p_${hex}`, "p_0000000000000000"])("[D-05] %s is a project id", (text) => {
  expect(isProjectId(text)).toBe(true)
})

test.each([
  "",
  "p_",
  `p_${hex.slice(1)}`,
  `p_${hex}0`,
  `p_${hex.toUpperCase()}`,
  "p_000000000000000g",
  `P_${hex}`,
  `x_${hex}`,
  `p_${hex}\n`,
  ` p_${hex}`,
  "dev2",
  "Dev"
])("[D-05] %j is no project id", (text) => {
  expect(isProjectId(text)).toBe(false)
})

test.each(["a", "Arena.1_~:-", "...", ".a", "0", "x".repeat(128)])(
  "[D-05] %s is a room id",
  (text) => {
    expect(isRoomId(text)).toBe(true)
  }
)

test.each([
  "",
  "x".repeat(129),
  "a/b",
  "a b",
  "a\n",
  "a%",
  "ä",
  "a\u0000",
  "😀",
  "a?b",
  "a#b",
  "a*",
  ".",
  ".."
])("[D-05] %j is no room id", (text) => {
  expect(isRoomId(text)).toBe(false)
})

test("[keys.id.form] a key id is `key_` and 16 hex characters", () => {
  expect(isKeyId(`key_${hex}`)).toBe(true)
  for (const bad of ["", "key_", hex, `key_${hex}0`, `key_${hex.slice(1)}`, `key_${hex}\n`]) {
    expect(isKeyId(bad)).toBe(false)
  }
  expect(isKeyId(`key_${hex.toUpperCase()}`)).toBe(false)
})

test.each([
  ["tok_", isTokenId],
  ["inv_", isInvitationId],
  ["rh_", isRehearsalId]
])("[D-05] an id with %s has 16 hex characters", (prefix, isId) => {
  expect(isId(`${prefix}${hex}`)).toBe(true)
  for (const bad of ["", prefix, hex, `${prefix}${hex}0`, `${prefix}${hex.slice(1)}`]) {
    expect(isId(bad)).toBe(false)
  }
  for (const end of ["\n", "\0", "g"]) expect(isId(`${prefix}${hex.slice(1)}${end}`)).toBe(false)
  expect(isId(`${prefix}${hex.toUpperCase()}`)).toBe(false)
})

describe("room keys", () => {
  test("[D-05] a key reads back as it was written", () => {
    for (const roomId of ["a", "a:b", "...", "x".repeat(128)]) {
      const key = { projectId: ProjectId.make(`p_${hex}`), roomId: RoomId.make(roomId) }
      expect(roomKeyOf(roomKeyText(key))).toEqual(key)
    }
  })

  test.each([
    "",
    "/",
    "dev",
    "devx",
    `p_${hex}x`,
    "dev/",
    "/room",
    "dev/a/b",
    "other/room",
    "dev/a b"
  ])("[D-05] %j is no room key", (text) => {
    expect(() => roomKeyOf(text)).toThrow(`not a room key: ${text}`)
  })
})

const secret = "A-z_0".repeat(9).slice(0, 43)

test.each([
  ["loginToken", `ct_${secret}`],
  ["session", `cs_${secret}`],
  ["deviceCode", `cd_${secret}`],
  ["invitation", `ci_${secret}`],
  ["joinSecret", `js_${secret}`],
  ["apiKey", `rk_${secret}`]
] as const)("[keys.secret.form] a %s is its prefix and 43 characters", (kind, text) => {
  expect(isSecret(kind, text)).toBe(true)
  for (const bad of [
    text.slice(0, -1),
    `${text}A`,
    `${text.slice(0, -1)}=`,
    `${text}\n`,
    secret,
    ""
  ]) {
    expect(isSecret(kind, bad)).toBe(false)
  }
})

test("[D-16] a secret of one kind is not taken for another kind", () => {
  expect(new Set(Object.values(SecretPrefix)).size).toBe(Object.keys(SecretPrefix).length)
  expect(isSecret("apiKey", `ct_${secret}`)).toBe(false)
  expect(isSecret("loginToken", `js_${secret}`)).toBe(false)
})

test.each(Object.values(SecretPrefix))(
  "[D-16] no message tells a secret with %s again",
  (prefix) => {
    const secret = `${prefix}${"Ab3_-".repeat(8)}xyz`
    expect(withoutSecrets(`unknown field: ${secret}`)).toBe(`unknown field: ${prefix}…`)
    expect(withoutSecrets(`a.${secret}.b ${secret}`)).toBe(`a.${prefix}….b ${prefix}…`)
    expect(withoutSecrets(secret.slice(0, -1))).toBe(`${prefix}…`)
    expect(withoutSecrets(`${secret}x`)).toBe(`${prefix}…`)
    for (const text of [prefix, `${prefix}count`, "key_0123456789abcdef"]) {
      expect(withoutSecrets(text)).toBe(text)
    }
  }
)
