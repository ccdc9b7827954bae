import { Effect, Option, Redacted } from "effect"
import { describe, expect, test } from "vitest"

import { readVoiceSettings } from "./VoiceSettings.ts"

interface Given {
  readonly voice?: string
  readonly ports?: string
  readonly host?: string
  readonly address?: string
  readonly url?: string
  readonly secret?: string
}

const read = (
  { voice = "on", ports, host, address = "", url, secret }: Given,
  serviceHost = "127.0.0.1"
) =>
  Effect.runPromise(
    Effect.match(
      readVoiceSettings(
        {
          voice,
          ports: Option.fromNullishOr(ports),
          host: Option.fromNullishOr(host),
          address,
          url: Option.fromNullishOr(url),
          secret: {
            value: Option.map(Option.fromNullishOr(secret), (value) => Redacted.make(value)),
            file: Option.none()
          }
        },
        serviceHost
      ),
      { onSuccess: Option.getOrNull, onFailure: (refusal) => refusal }
    )
  )

const whole = { min: 40_000, max: 40_999 }

describe("the settings of voice calls", () => {
  test("[limits.voice.ports] the ports are 40000 to 40999 unless a part of them is given", async () => {
    const alone = { host: "127.0.0.1", addresses: [], ports: whole, janus: null }
    expect(await read({})).toEqual(alone)
    expect(await read({ ports: "40000-40999" })).toMatchObject({ ports: whole })
    expect(await read({ ports: "40100-40199" })).toMatchObject({
      ports: { min: 40_100, max: 40_199 }
    })
    expect(await read({ ports: "40999" })).toMatchObject({ ports: { min: 40_999, max: 40_999 } })
  })

  test.each(["39999-40010", "40990-41000", "40010-40000", "40000-", "all", ""])(
    "[limits.voice.ports] a start with the ports %j is refused by name",
    async (ports) => {
      expect(await read({ ports })).toMatch(/^ATRIUM_VOICE_PORTS must be a part of 40000-40999, /)
    }
  )

  test("[C-895] a service binds its own address for media, and tells clients the ones that it is given", async () => {
    expect(await read({}, "0.0.0.0")).toMatchObject({ host: "0.0.0.0" })
    expect(await read({}, "localhost")).toMatchObject({ host: "127.0.0.1" })
    expect(await read({}, "play.example.com")).toMatchObject({ host: "0.0.0.0" })
    expect(await read({ host: "10.0.0.5" }, "0.0.0.0")).toMatchObject({ host: "10.0.0.5" })
    expect(await read({ address: "203.0.113.7, 2001:db8::7" })).toMatchObject({
      addresses: ["203.0.113.7", "2001:db8::7"]
    })
  })

  test("[C-895] calls can be turned off", async () => {
    expect(await read({ voice: "off" })).toBe(null)
  })

  test("[C-899] a Janus is named by its URL and its secret", async () => {
    const janus = { url: "ws://janus:8188/", secret: "hush" }
    expect(await read({ url: "ws://janus:8188", secret: "hush" })).toMatchObject({ janus })
    const walled = { url: "wss://media.example.com/janus", secret: "hush" }
    expect(await read(walled)).toMatchObject({ janus: walled })
  })

  test.each<Given>([
    { secret: "hush" },
    { url: "ws://janus:8188" },
    { url: "http://janus:8088/janus", secret: "hush" },
    { url: "janus", secret: "hush" },
    { url: "ws://user:hush@janus:8188", secret: "hush" },
    { url: "ws://janus:8188#hush", secret: "hush" }
  ])("[C-899] refuses %o by name, and does not repeat the secret", async (given) => {
    const refusal = await read(given)
    expect(refusal).toMatch(/^ATRIUM_VOICE_(URL|SECRET) /)
    expect(refusal).not.toContain("hush")
  })

  test.each<[Given, RegExp]>([
    [{ voice: "no" }, /^ATRIUM_VOICE must be on or off, not "no"\.$/],
    [{ host: "media.example.com" }, /^ATRIUM_VOICE_HOST must be an IP address/],
    [{ address: "203.0.113.7,media.example.com" }, /^ATRIUM_VOICE_ADDRESS: "media\.example\.com"/]
  ])("[C-895] refuses %o by name", async (given, says) => {
    expect(await read(given)).toMatch(says)
  })
})
