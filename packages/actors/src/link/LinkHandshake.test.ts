import { describe, expect, test } from "vitest"

import type { ProtocolVersions } from "../cluster/RunnerProtocol.ts"
import { LinkFault } from "./LinkFrames.ts"
import { EntryHandshake, RoomHandshake } from "./LinkHandshake.ts"

const bytes = (fill: number): Buffer => Buffer.alloc(32, fill)
const entry = (key: number, nonce: number, versions?: ProtocolVersions) =>
  new EntryHandshake({ key: bytes(key), nonce: bytes(nonce), versions })
const room = (key: number, nonce: number, versions?: ProtocolVersions) =>
  new RoomHandshake({ key: bytes(key), nonce: bytes(nonce), versions })

describe("the handshake of a link", () => {
  test("[C-411] two runners with one key prove it to each other", () => {
    const [opens, answers] = [entry(1, 2), room(1, 3)]
    const challenge = answers.greeted(opens.hello())
    answers.proven(opens.challenged(challenge))
  })

  test("[C-411] another key is refused by both sides", () => {
    const answers = room(1, 3)
    expect(() => entry(9, 2).challenged(answers.greeted(entry(9, 2).hello()))).toThrow(
      "the peer has another master key"
    )
    // A peer that does not look proves nothing either.
    const honest = room(9, 3)
    const proof = entry(9, 2).challenged(honest.greeted(entry(9, 2).hello()))
    expect(() => answers.proven(proof)).toThrow("the peer has another master key")
  })

  test("[C-411] a proof that was heard before, or comes back to its sender, is refused", () => {
    const first = room(1, 3)
    const opens = entry(1, 2)
    const challenge = first.greeted(opens.hello())
    const proof = opens.challenged(challenge)
    const later = room(1, 4)
    later.greeted(opens.hello())
    expect(() => later.proven(proof)).toThrow(LinkFault)
    expect(() => first.proven(Buffer.from(challenge.subarray(33)))).toThrow(LinkFault)
    expect(() => entry(1, 5).challenged(challenge)).toThrow(LinkFault)
  })

  test("[C-411] every bit of the challenge counts", () => {
    const challenge = room(1, 3).greeted(entry(1, 2).hello())
    for (let at = 0; at < challenge.length; at++) {
      const changed = Buffer.from(challenge)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => entry(1, 2).challenged(changed), `byte ${at}`).toThrow(LinkFault)
    }
  })

  test("[C-411] garbage, a short hello and a proof before the hello are refused", () => {
    expect(() => room(1, 3).greeted(Buffer.from("GET / HTTP/1.1\r\n\r\n"))).toThrow(LinkFault)
    expect(() => room(1, 3).greeted(Buffer.alloc(45))).toThrow("the peer is no runner")
    expect(() => room(1, 3).proven(bytes(0))).toThrow("a proof before the hello")
    const answers = room(1, 3)
    answers.greeted(entry(1, 2).hello())
    expect(() => answers.greeted(entry(1, 2).hello())).toThrow(LinkFault)
    expect(() => entry(1, 2).challenged(Buffer.alloc(0))).toThrow(LinkFault)
  })

  test.each([
    [{ oldest: 1, newest: 2 }, { oldest: 1, newest: 1 }, 1],
    [{ oldest: 1, newest: 1 }, { oldest: 1, newest: 2 }, 1],
    [{ oldest: 2, newest: 3 }, { oldest: 1, newest: 2 }, 2],
    [{ oldest: 2, newest: 2 }, { oldest: 1, newest: 1 }, null],
    [{ oldest: 1, newest: 1 }, { oldest: 2, newest: 2 }, null]
  ])("[C-411] versions %o and %o agree on %s", (opens, answers, version) => {
    const challenge = () => room(1, 3, answers).greeted(entry(1, 2, opens).hello())
    if (version === null) return expect(challenge).toThrow("the peer speaks versions")
    expect(challenge()[0]).toBe(version)
    entry(1, 2, opens).challenged(challenge())
  })
})
