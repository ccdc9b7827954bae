import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { connectionRate } from "@atrium/domain/shared/ConnectionRate"
import { EvictFailed, RoomInUse, RoomStarted, SaveNotFound } from "@atrium/domain/shared/Refusal"
import { AllLimits } from "@atrium/domain/testing/AllLimits"
import { describe as descriptorOf, schemaHash } from "@atrium/sdk/schema"
import { unpackMsgpack } from "@atrium/spec-tests/codec/Msgpack"
import { WireState } from "@atrium/spec-tests/codec/WireState"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { type Limit } from "@atrium/wire/limits/Limit"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { describe, expect, test } from "vitest"

import {
  exampleFrames,
  exampleHashes,
  exampleSchema,
  nestedExample
} from "./protocol/ExampleFrames.ts"
import { plainDescriptor } from "./protocol/PlainDescriptor.ts"

const repository = fileURLToPath(new URL("..", import.meta.url))
const read = (path: string): string => readFileSync(`${repository}/${path}`, "utf8")
const document = read("docs/protocol.md")

/** Rows of the tables that stand under a text, up to the next heading; the cells without back-ticks. */
const tablesUnder = (text: string): ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>> => {
  const from = document.indexOf(text)
  expect(from, text).toBeGreaterThanOrEqual(0)
  const section = document.slice(from + text.length).split(/^##/m, 1)[0] ?? ""
  return (section.match(/(?:^\|.*\n)+/gm) ?? []).map((table) =>
    table
      .trim()
      .split("\n")
      .slice(2)
      .map((row) =>
        row
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim().replaceAll("`", ""))
      )
  )
}

/** Codes that a source says: written out, or by their row. */
const codesIn = (source: string): ReadonlyArray<string> => {
  const rows: Record<string, { readonly code: string }> = RoomRefusals
  return [...source.matchAll(/"(E_[A-Z_]+)"|\bRoomRefusals\.(\w+)\.code/g)].map(
    ([said, code, row = ""]) => code ?? rows[row]?.code ?? said
  )
}

describe("the tables of docs/protocol.md", () => {
  test("[D-24] the frames are those of the code, by type and name", () => {
    const [client, server] = tablesUnder("## Frames")
    const named = (rows: typeof client) =>
      Object.fromEntries((rows ?? []).map(([type, name]) => [name, Number(type)]))
    expect(named(client)).toEqual(ClientFrame)
    expect(named(server)).toEqual(ServerFrame)
  })

  test("[D-24] the close codes are those of the code, in order, word for word", () => {
    const rows = Object.values(CloseCodes).map((row) => [
      String(row.code),
      row.name,
      row.client,
      row.says
    ])
    expect(tablesUnder("## Close codes")[0]).toEqual(rows)
  })

  test("[D-24] every code that a room or the router tells a client is explained", () => {
    const [stays, refusals] = tablesUnder("## Errors")
    const explained = new Set(
      [...(stays ?? []), ...(refusals ?? []), ...(tablesUnder("## Close codes")[0] ?? [])]
        .flat()
        .flatMap((cell) => cell.split(", "))
        .filter((cell) => /^E_[A-Z_]+$/.test(cell))
    )
    const told = new Set(
      sourcesOf(
        "packages/runtime/src/room",
        "packages/api/src/router",
        "packages/actors/src/rooms",
        "packages/actors/src/ratings",
        "packages/api/src/boards",
        "packages/api/src/ratings",
        "packages/actors/src/relay",
        "packages/actors/src/voice"
      )
        .filter((path) => !/Test[A-Z]\w*\.ts$/.test(path))
        .flatMap((path) => codesIn(read(path)))
    )
    // What only the management API's answers carry: a call of the room's actor, not of a client.
    for (const { _tag } of managementRefusals) told.delete(_tag)
    expect([...told].filter((code) => !explained.has(code))).toEqual([])
    // And nothing is explained that nobody says.
    const closes = new Set(Object.values(CloseCodes).map(({ name }) => name))
    expect([...explained].filter((code) => !told.has(code) && !closes.has(code))).toEqual([])
  })

  test("[D-24] docs/protocol.md has every refusal that a client gets, and no unknown one", () => {
    const section = /^## Errors\n([^]*?)^## /m.exec(document)?.[1] ?? ""
    const explained = new Set(section.match(/\bE_[A-Z_]+\b/g))
    const refusals = Object.values(RoomRefusals)
    const toClients = refusals.filter(({ reaches }) => reaches === "client")
    expect(toClients.map(({ code }) => code).filter((code) => !explained.has(code))).toEqual([])
    // A handler may answer with a code of its own call; one close code is also told to clients that stay. A room for trying
    // refuses in-room calls with the code that the API has, too.
    const known = new Set<string>(refusals.map(({ code }) => code))
    expect([...explained].filter((code) => !known.has(code))).toEqual([
      CloseCodes.rateLimited.name,
      "E_BRANCH"
    ])
  })

  test("[D-24] the limits have the values of the code", () => {
    const { handshake, helloBytes, frameBytes, frames, chatBytes, chatLines } = AllLimits
    const { rpcsWaiting, roomRpc, roomJoin, outboundPlayerBytes, framesKept, framesKeptBytes } =
      AllLimits
    const { relayPlayers, relayPlayersFree, audienceSeats, audienceSeatsFree } = AllLimits
    const { outboundViewerBytes, handoverBytes, handoverWait } = AllLimits
    const { relayFrameBytes, relayBytes, relayWriteOps, audienceMessages } = AllLimits
    const { relayRecords, relayAsks, relayStateBytes, voiceSdpBytes, voiceFrames } = AllLimits
    const { joinsByAddress, joins, newRooms, connectionsPerIpPerMinDefault } = AllLimits
    const connections = shown(connectionRate(connectionsPerIpPerMinDefault.max))
    expect(tablesUnder("## Limits")[0]?.map(([what, limit]) => [what, limit])).toEqual([
      [
        "connections of an address to a server",
        `${connections}, unless the project says otherwise`
      ],
      ["joins of an address to a server", shown(joinsByAddress)],
      ["joins of a project to a server", shown(joins)],
      ["rooms that an address makes or wakes, for a server", shown(newRooms)],
      ["hello after connecting", shown(handshake)],
      ["hello frame", shown(helloBytes)],
      ["frame of a client", shown(frameBytes)],
      ["frames of a connection", shown(frames)],
      ["chat line, UTF-8", shown(chatBytes)],
      ["chat lines of a connection", shown(chatLines)],
      ["unanswered calls of a client", shown(rpcsWaiting)],
      ["answer to a call of the room", `${shown(roomRpc)}, unless the room says otherwise`],
      ["the room's answer to a join", shown(roomJoin)],
      ["bytes that a client has not read", `${shown(outboundPlayerBytes)} and its last welcome`],
      ["bytes that a viewer has not read", `${shown(outboundViewerBytes)} and its last welcome`],
      [
        "frames kept while the room's process restarts",
        `${shown(framesKept)} and ${shown(framesKeptBytes)} for the room`
      ],
      [
        "frames kept while the room moves between runners",
        `${shown(handoverBytes)} and ${shown(handoverWait)}`
      ],
      ["players of a relay room", onPlans(relayPlayers, relayPlayersFree)],
      ["viewers of a relay room", onPlans(audienceSeats, audienceSeatsFree)],
      ["relay frame", shown(relayFrameBytes)],
      ["bytes of a connection's relay frames", shown(relayBytes)],
      ["ops of a connection", shown(relayWriteOps)],
      ["sends of a viewer", shown(audienceMessages)],
      ["records of a relay collection", shown(relayRecords)],
      ["records that a client of a relay room waits for", shown(relayAsks)],
      ["state of a relay room", shown(relayStateBytes)],
      ["SDP of a voice frame", shown(voiceSdpBytes)],
      ["voice frames of a connection", shown(voiceFrames)]
    ])
  })

  test("[D-24] the spans in the text are those of the code", () => {
    const seconds = (ms: number): string => `${ms / 1000} s`
    const text = document.replace(/\s+/g, " ")
    for (const said of [
      `a WebSocket ping every ${seconds(AllLimits.pingEvery.ms)}`,
      `after ${seconds(AllLimits.clientSilence.ms)} of silence`,
      `0 to ${AllLimits.clientBackoffBase.ms} ms, the bound doubling up to ${seconds(AllLimits.clientBackoffCap.ms)}`,
      `not over for more than ${seconds(AllLimits.clockLeeway.ms)}`,
      `gets ${AllLimits.identityMintsByAddress.burst} at once and ${AllLimits.identityMintsByAddress.tokens} an hour`,
      `1 to ${AllLimits.playerIdBytes.max} bytes`,
      `1 to ${AllLimits.roomIdChars.max} of`,
      `at most ${AllLimits.messageBytes.max} bytes`,
      `first, once, within ${AllLimits.handshake.ms / 1000} seconds`,
      `the owner has ${seconds(AllLimits.relayOwnershipAnswer.ms)} for an ownAnswer`
    ]) {
      expect(text).toContain(said)
    }
  })

  test("[docs.protocol] the document is short", () => {
    expect(document.split("\n").length).toBeLessThan(600)
  })
})

const no = { message: "" }
const managementRefusals = [
  new EvictFailed(no),
  new RoomInUse(no),
  new RoomStarted(no),
  new SaveNotFound(no)
]

/** Program files of some folders, without tests. */
const sourcesOf = (...folders: ReadonlyArray<string>): ReadonlyArray<string> =>
  folders.flatMap((folder) =>
    readdirSync(`${repository}/${folder}`, { recursive: true, encoding: "utf8" })
      .filter(
        (path) => path.endsWith(".ts") && !/\.(?:test|contract)\.ts$|(^|\/)testing\//.test(path)
      )
      .map((path) => `${folder}/${path}`)
  )

const onPlans = (paid: Limit, free: Limit): string =>
  `${shown(paid)}, on the free plan ${shown(free)}`

const shown = (limit: Limit): string => {
  switch (limit.kind) {
    case "count":
      return String(limit.max)
    case "range":
      return `${limit.min} to ${limit.max}`
    case "span":
      return `${limit.ms / 1000} s`
    case "rate": {
      const span = limit.everyMs === 60_000 ? "minute" : "second"
      return `${limit.tokens} a ${span}, ${limit.burst} at once`
    }
    case "size": {
      const { max } = limit
      if (max % 2 ** 20 === 0) return `${max / 2 ** 20} MiB`
      return max % 1024 === 0 ? `${max / 1024} KiB` : `${max} bytes`
    }
  }
}

/** The hex examples by name: one for each block, or one for each line of the block `frames`. */
const examples = (): Readonly<Record<string, string>> => {
  const blocks = [...document.matchAll(/^```hex (.+)\n([^`]*)```$/gm)]
  const hexOf = (text: string): string => text.replace(/;.*$/gm, "").replace(/\s/g, "")
  const found = blocks.flatMap(([, name = "", text = ""]) =>
    name === "frames"
      ? text
          .trim()
          .split("\n")
          .map((line) => [/; (.+?):/.exec(line)?.[1] ?? line, hexOf(line)] as const)
      : [[name, hexOf(text)] as const]
  )
  expect(new Set(found.map(([name]) => name)).size).toBe(found.length)
  return Object.fromEntries(found)
}

describe("the examples of docs/protocol.md", () => {
  test("[D-24] the code that sends them makes every byte of them, and there are no others", () => {
    const made = Object.entries(exampleFrames()).map(([name, bytes]) => [
      name,
      Buffer.from(bytes).toString("hex")
    ])
    expect(examples()).toEqual(Object.fromEntries(made))
  })

  test("[D-24] the remarks take every example apart without a rest", () => {
    const { hello, welcome, patch, delta, ...others } = examples()
    const raw = (hex = ""): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"))
    const full = raw(others["full state"])
    const hash = schemaHash(exampleSchema)
    expect(unpackMsgpack(raw(hello))).toEqual([
      1,
      "eyJh.eyJp.c2ln",
      "duel",
      hash,
      null,
      { seat: 2 }
    ])
    expect(unpackMsgpack(raw(welcome))).toEqual([
      16,
      "8f3c5a1e9b7d2046",
      "lobby",
      7,
      41,
      full,
      false,
      "Yx3kQ0m8Zt5nB1vC7wLr2A",
      null,
      "pl_5be0cd19137e2179",
      false,
      null
    ])
    expect(unpackMsgpack(raw(patch))).toEqual([17, 42, raw(delta)])
    const state = new WireState(plainDescriptor(exampleSchema))
    state.applyFull(full)
    const [before, after, layout] = exampleHashes()
    expect(state.hash()).toBe(before)
    state.applyDelta(raw(delta))
    expect(state.hash()).toBe(after)
    expect(state.singletons[0]?.row).toEqual({ red: 3, blue: 1 })
    const given = { team: "red", hp: 100, target: 1 }
    expect(state.collections[0]?.rows).toEqual(
      new Map<number, unknown>([
        [1, { ...given, name: "Ann", x: -12, target: 0 }],
        [3, { ...given, name: "Cyd", x: 0 }],
        [4, { ...given, name: "Dee", x: 0 }]
      ])
    )
    for (const said of [before, after, layout]) expect(document).toContain(`\`${said}\``)
  })

  test("[C-662] changes of values take apart what is in them", () => {
    const { schema, full, delta, hash } = nestedExample()
    const state = new WireState(plainDescriptor(schema))
    state.applyFull(full)
    state.applyDelta(delta)
    expect(state.hash()).toBe(hash)
    expect(state.singletons[0]?.row).toEqual({
      bag: new Map<unknown, unknown>([
        ["coin", { count: 7, mark: 4 }],
        ["key", { count: 1 }]
      ]),
      hand: [
        { suit: 1, rank: 1 },
        { suit: 2, rank: 3 },
        { suit: 0, rank: 5 }
      ]
    })
  })

  test("[D-24] the descriptor is that of the example's schema, key for key", () => {
    const json = /^```text\n([^`]*)```$/m.exec(document)?.[1] ?? ""
    expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify(descriptorOf(exampleSchema)))
  })
})
