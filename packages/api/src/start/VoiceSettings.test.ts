import { Effect, Option } from "effect"
import { describe, expect, test } from "vitest"

import { readVoiceSettings } from "./VoiceSettings.ts"

interface Given {
  readonly voice?: string
  readonly ports?: string
  readonly host?: string
  readonly address?: string
}

const read = ({ voice = "on", ports, host, address = "" }: Given, serviceHost = "127.0.0.1") =>
  Effect.runPromise(
    Effect.match(
      readVoiceSettings(
        { voice, ports: Option.fromNullishOr(ports), host: Option.fromNullishOr(host), address },
        serviceHost
      ),
      { onSuccess: Option.getOrNull, onFailure: (refusal) => refusal }
    )
  )

const whole = { min: 40_000, max: 40_999 }

describe("the settings of voice calls", () => {
  test("[limits.voice.ports] the ports are 40000 to 40999 unless a part of them is given", async () => {
    expect(await read({})).toEqual({ host: "127.0.0.1", addresses: [], ports: whole })
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

  test.each<[Given, RegExp]>([
    [{ voice: "no" }, /^ATRIUM_VOICE must be on or off, not "no"\.$/],
    [{ host: "media.example.com" }, /^ATRIUM_VOICE_HOST must be an IP address/],
    [{ address: "203.0.113.7,media.example.com" }, /^ATRIUM_VOICE_ADDRESS: "media\.example\.com"/]
  ])("[C-895] refuses %o by name", async (given, says) => {
    expect(await read(given)).toMatch(says)
  })
})
