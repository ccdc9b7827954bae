import type { AwakeRoom } from "@atrium/actors/rooms/AwakeRoom"
import type { Incarnation } from "@atrium/actors/rooms/Incarnations"
import { clientAddressOf, noAddressRules } from "@atrium/domain/shared/ClientAddress"
import { expect, test } from "vitest"

import { makeConnection } from "../testing/ConnectionUnderTest.ts"
import type { JoinTerm } from "./JoinTerms.ts"
import type { PlayerClaims } from "./PlayerTokens.ts"
import { type Arriving, type Counted, QuickJoin } from "./QuickJoin.ts"
import type { Entering } from "./RoomSeat.ts"

/** What a runner knows of the room and of its project. */
interface Known {
  readonly awake: boolean
  readonly closing: boolean
  readonly keepsPlayers: boolean
  readonly kids: ReadonlyArray<number> | null | undefined
  readonly origins: ReadonlyArray<string> | null | undefined
  readonly claims: PlayerClaims | null
  readonly byAddress: boolean | Promise<boolean>
  readonly ofProject: boolean | Promise<boolean>
}

const ann: PlayerClaims = {
  playerId: "ann",
  name: null,
  role: "player",
  match: null,
  test: false,
  identityId: null
}
const known: Known = {
  awake: true,
  closing: false,
  keepsPlayers: false,
  kids: [1],
  origins: undefined,
  claims: ann,
  byAddress: true,
  ofProject: true
}

const later = Promise.resolve(true)
const page = "https://game.example"

/** A client arrives. */
const arrive = (is: Partial<Known> = {}, says: Partial<Arriving> = {}, type: string = "arena") => {
  const { awake, closing, keepsPlayers, kids, origins, claims, byAddress, ofProject } = {
    ...known,
    ...is
  }
  const { connection, gate } = makeConnection()
  const counted: Array<string> = []
  const reads: Array<string> = []
  const proven: Array<Entering> = []
  if (closing) gate.close()
  // Casts: the parts of a room and of its incarnation that a join looks at.
  const incarnation = {
    keepsPlayers,
    order: { type: "arena", version: 1 },
    deployed: { schemaHash: "hash" },
    relay: false,
    schema: {}
  } as Incarnation
  const room = { gate, incarnation: () => incarnation } as unknown as AwakeRoom
  const term = <Value>(
    name: string,
    value: Value | undefined
  ): Omit<JoinTerm<Value>, "changed"> => ({
    recent: () => value,
    refresh: () => void reads.push(name),
    read: () => {
      throw new Error("it asks the store")
    }
  })
  const quick = new QuickJoin({
    tokens: { verifyNow: () => claims },
    terms: { kids: term("kids", kids), origins: term("origins", origins) },
    awake: { find: () => (awake ? room : undefined) },
    door: {
      join: () => {
        counted.push("byAddress")
        return byAddress
      },
      joinOfProject: () => {
        counted.push("ofProject")
        return ofProject
      }
    },
    nowMs: () => 0,
    makeSessionId: () => "session"
  })
  const seating = quick.seat({
    connection,
    target: { projectId: "p_0000000000000001", roomId: "lobby" },
    caller: clientAddressOf("192.0.2.1", undefined, noAddressRules),
    origin: null,
    hello: { token: "t", type, schemaHash: null, resume: null, options: null },
    proven: (entering) => void proven.push(entering),
    ...says
  })
  if (seating._tag === "Unread") seating.read(() => undefined)
  return { seating, quick, counted, reads, proven, seated: gate.connections }
}

/** One way to arrive. */
interface Case {
  readonly why: string
  readonly is?: Partial<Known>
  readonly says?: Partial<Arriving>
  readonly type?: string
}

test.each<Case>([
  { why: "no page" },
  { why: "a page on localhost", says: { origin: "http://localhost:5173" } },
  { why: "a page that the project lists", is: { origins: [page] }, says: { origin: page } }
])("[C-920] a player of a room that is up gets a seat at once: $why", ({ is, says }) => {
  const { seating, counted, reads, proven, seated } = arrive(is, says)
  expect(seating).toEqual({ _tag: "Seated" })
  expect([counted, reads, seated]).toEqual([["byAddress", "ofProject"], [], 1])
  expect(proven.map(({ claims, key }) => [claims.playerId, key.roomId])).toEqual([["ann", "lobby"]])
})

const project = "p_0000000000000001"

test.each<Case>([
  { why: "the room is not up here", is: { awake: false } },
  { why: "the room is being put away", is: { closing: true } },
  { why: "the room is of another type", type: "lobby" },
  { why: "the store has fields of its players", is: { keepsPlayers: true } },
  { why: "the room's id is none", says: { target: { projectId: project, roomId: "a b" } } },
  { why: "the project's id is none", says: { target: { projectId: "p", roomId: "lobby" } } },
  { why: "the page is not listed", is: { origins: [] }, says: { origin: page } },
  { why: "the project was not there", is: { origins: null }, says: { origin: page } },
  { why: "what was read proves nothing of the credential", is: { claims: null } }
])("[C-920] the slow way decides, and nothing has been counted: $why", ({ is, says, type }) => {
  const { seating, counted, proven, seated } = arrive(is, says, type)
  expect(seating).toEqual({ _tag: "Left", counted: {} })
  expect([counted, proven, seated]).toEqual([[], [], 0])
})

test("[C-920] a connection that has yet to say hello has the secrets read, where they are not known", () => {
  const reads = (kids: Known["kids"], projectId = project) => {
    const { quick, reads: read } = arrive({ kids })
    read.length = 0
    quick.expect({ projectId, roomId: "lobby" })
    return read
  }
  expect([reads(undefined), reads([]), reads(null)]).toEqual([["kids"], [], []])
  expect(reads(undefined, "nobody's")).toEqual([])
})

test.each<Case>([
  { why: "kids", is: { kids: undefined } },
  { why: "kids", is: { kids: undefined, awake: false } },
  { why: "origins", says: { origin: page } }
])("[C-920] the project's $why are read when they are not known", ({ why, is, says }) => {
  const { seating, counted, reads, seated } = arrive(is, says)
  expect([seating._tag, reads, counted, seated]).toEqual(["Unread", [why], [], 0])
})

test.each<Case & { readonly counted: Counted }>([
  {
    why: "the address has too many",
    is: { byAddress: false },
    counted: { byAddress: false }
  },
  { why: "another runner counts", is: { byAddress: later }, counted: { byAddress: later } },
  {
    why: "the project has too many",
    is: { ofProject: false },
    counted: { byAddress: true, ofProject: false }
  }
])("[C-920] a join counts once, whatever the limits say: $why", ({ is, counted }) => {
  const { seating, proven, seated } = arrive(is)
  expect(seating).toEqual({ _tag: "Left", counted })
  expect([proven, seated]).toEqual([[], 0])
})
