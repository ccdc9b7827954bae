import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import type { Duplex } from "node:stream"
import { fileURLToPath } from "node:url"

import { everybody } from "@atrium/wire/voice/VoiceGroups"
import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"
import { expect, test } from "vitest"

import { lineOf, readWord } from "./MediaMessages.ts"

const program = fileURLToPath(import.meta.resolve("./main.ts"))
/** Beside the ports of other tests. */
const settings = {
  host: "127.0.0.1",
  addresses: [],
  ports: { min: 40_960, max: 40_961 },
  janus: null
}

test("[limits.voiceLineBytes] reads an offer of 16 KiB of control characters, which JSON writes as six characters each", async () => {
  const child = spawn(process.execPath, [program, JSON.stringify({ uid: null })], {
    stdio: ["ignore", "inherit", "inherit", "pipe"]
  })
  const ended = once(child, "exit")
  // A pipe of `stdio` is one in both directions.
  const service = child.stdio[3] as Duplex
  const words = createInterface({ input: service })[Symbol.asyncIterator]()
  const offer = "\u0001".repeat(VoiceLimits.voiceSdpBytes.max)
  // Many at once: each chunk that the process reads ends at another place of a line.
  const participants = [1, 2, 3, 4, 5, 6, 7, 8]
  const join = (participant: number) =>
    lineOf({ order: "join", participant, call: 1, offer, groups: everybody })
  service.write([lineOf({ order: "begin", settings }), ...participants.map(join)].join(""))
  for (const participant of participants) {
    const { value = "" } = await words.next()
    expect(readWord(value)).toEqual({
      word: "refused",
      participant,
      code: "E_BAD_MESSAGE",
      message: "voice: the offer has no audio line"
    })
  }
  // The end of the service is the end of the process.
  service.destroy()
  expect(await ended).toEqual([0, null])
})
