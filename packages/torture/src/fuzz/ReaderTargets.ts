import { FrameSplitter } from "@atrium/actors/process/FrameSplitter"
import { LineReader } from "@atrium/actors/process/LineReader"
import type { Chance } from "@atrium/api/testing/Chance"
import { FrameHeaderBytes, HostFrameError } from "@atrium/runtime/host/HostFrames"
import { readReport } from "@atrium/runtime/host/RoomReports"
import { readRoomFrame } from "@atrium/runtime/room/ClientFrames"
import { decodeSnapshotFile, encodeSnapshotFile } from "@atrium/runtime/room/SnapshotFile"
import { decodeFrame, WireError } from "@atrium/sdk/client/ClientWire"
import { describe, fromDescriptor, schemaHash } from "@atrium/sdk/schema"
import { packRecord, unpackRecord } from "@atrium/wire/codec"
import { CodecError } from "@atrium/wire/codec/CodecError"
import { packPlayer, unpackPlayer } from "@atrium/wire/codec/PlayerCodec"
import { makeRoomState } from "@atrium/wire/codec/RoomState"
import { makeStateView } from "@atrium/wire/codec/StateView"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { MsgpackError, unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { SchemaError } from "@atrium/wire/schema/SchemaError"

import { allFrames, hostileMsgpack, plainValues, validRecord } from "./ClientCorpus.ts"
import { silentSink, validReports } from "./ReportCorpus.ts"
import { fuzzed } from "./rooms/fuzzedSchema.ts"

type ErrorClass = abstract new (...values: never) => Error

/** Code that reads what others wrote. */
export interface ReaderTarget {
  readonly name: string
  readonly valid: ReadonlyArray<Uint8Array>
  /** The only errors that it may throw. */
  readonly refuses: ReadonlyArray<ErrorClass>
  read(bytes: Buffer, chance: Chance): void
}

const fields = fuzzed.messages.list.find(({ name }) => name === "record")?.fields ?? []

/** A state, the bytes that tell of it, and those of its changes. */
const states = (() => {
  const room = makeRoomState(fuzzed)
  const values = unpackRecord(fields, validRecord)
  for (let count = 0; count < 5; count++) {
    room.state.marks.add({ by: `client ${count}`, x: count })
    // The record of every kind and the collection `things` share one definition of fields.
    room.state.things.add(values as Parameters<typeof room.state.things.add>[0])
  }
  const first = room.encodeDelta() ?? new Uint8Array(0)
  const full = room.encodeFull().slice()
  room.state.counter.value = 7
  for (const thing of room.state.things) {
    thing.at.aim = undefined
    const [first] = thing.bag.get("rope") ?? []
    if (first !== undefined) first.count += 1
    thing.bag.set("coin", [])
  }
  room.state.marks.remove(2)
  room.state.marks.add({ by: "late", x: 1.5 })
  const delta = room.encodeDelta() ?? new Uint8Array(0)
  return {
    full,
    deltas: [first, delta].map((bytes) => bytes.slice()),
    snapshot: room.encodeSnapshot().slice()
  }
})()

const snapshotFile = encodeSnapshotFile({
  state: states.snapshot,
  tick: 7,
  patches: 9,
  random: [1, 2, 3, 4],
  lobby: { isPublic: true, started: false },
  sessions: [
    {
      id: "s",
      playerId: "p",
      name: null,
      role: "player",
      resumeHash: "ab",
      previousResumeHash: null,
      droppedAtMs: 5,
      player: new Uint8Array([0x80])
    }
  ]
})

const serverFrames = [
  [ServerFrame.welcome, "c", "r", 1, 0, states.full, false, "token", describe(fuzzed), "p"],
  [ServerFrame.patch, 1, states.deltas[0]],
  [ServerFrame.msg, 0, validRecord],
  [ServerFrame.rpcResult, 1, false, ["E_ROOM_FULL", "no"]],
  [ServerFrame.chat, "c", "text"],
  [ServerFrame.error, "E_BAD_MESSAGE", "text", 3],
  [ServerFrame.pong, { at: 1 }],
  [ServerFrame.rpc, 1, 0, validRecord]
].map((frame) => packValue(frame))

const demand = (holds: boolean, law: string): void => {
  if (!holds) throw new Error(`a law does not hold: ${law}`)
}

const room = makeRoomState(fuzzed)
const view = makeStateView(fuzzed)

const framesInto = (seen: string[]) => ({
  frame: (kind: number, payload: Buffer) => void seen.push(`${kind}:${payload.toString("hex")}`),
  lengthMax: () => RuntimeLimits.roomFrameBytes.max
})

const inPieces = (chance: Chance, bytes: Buffer): ReadonlyArray<string> => {
  const seen: string[] = []
  const splitter = new FrameSplitter(framesInto(seen))
  let from = 0
  while (from < bytes.length) {
    const to = Math.min(bytes.length, from + 1 + chance.length(bytes.length))
    splitter.read(bytes.subarray(from, to))
    from = to
  }
  return seen
}

/** All readers of bytes that a client or a room process has written. */
export const readerTargets: ReadonlyArray<ReaderTarget> = [
  {
    name: "readReport",
    valid: validReports.map((frame) => frame.subarray(FrameHeaderBytes - 1)),
    refuses: [HostFrameError],
    read: (bytes) => readReport(bytes[0] ?? 0, bytes.subarray(1), silentSink)
  },
  {
    name: "FrameSplitter",
    valid: [...validReports, Buffer.concat(validReports)],
    refuses: [HostFrameError],
    read(bytes, chance) {
      const whole = inPieces(chance, Buffer.from(bytes))
      const again: string[] = []
      new FrameSplitter(framesInto(again)).read(bytes)
      demand(whole.join() === again.join(), "pieces give the same frames as the whole")
    }
  },
  {
    name: "LineReader",
    valid: [Buffer.from("one\ntwo\n\u00e9\u{1f600}\n")],
    refuses: [],
    read(bytes) {
      const reader = new LineReader(() => {})
      reader.read(bytes)
      reader.end()
    }
  },
  {
    name: "readRoomFrame",
    valid: allFrames,
    refuses: [MsgpackError],
    read: (bytes) => void readRoomFrame(bytes)
  },
  {
    name: "unpackValue",
    valid: plainValues.map((value) => packValue(value)),
    refuses: [MsgpackError],
    read(bytes, chance) {
      const value = unpackValue(chance.one(4) ? hostileMsgpack(chance) : bytes)
      const once = packValue(value)
      demand(
        Buffer.compare(once, packValue(unpackValue(once))) === 0,
        "what was read can be written"
      )
    }
  },
  {
    name: "unpackRecord",
    valid: [validRecord],
    refuses: [CodecError],
    read(bytes) {
      const once = packRecord(fields, unpackRecord(fields, bytes), "record").slice()
      const twice = packRecord(fields, unpackRecord(fields, once), "record")
      // Only -0 may be read in another form than it is written in, and takes as many bytes.
      demand(
        once.length === bytes.length && Buffer.compare(once, twice) === 0,
        "a record has one form"
      )
    }
  },
  {
    name: "StateView.applyFull",
    valid: [states.full],
    refuses: [CodecError],
    read: (bytes) => view.applyFull(bytes)
  },
  {
    name: "StateView.applyDelta",
    valid: states.deltas,
    refuses: [CodecError],
    read(bytes, chance) {
      if (chance.one(16)) view.applyFull(states.full)
      view.applyDelta(bytes)
    }
  },
  {
    name: "RoomState.loadSnapshot",
    valid: [states.snapshot],
    refuses: [CodecError],
    read: (bytes) => room.loadSnapshot(bytes)
  },
  {
    name: "decodeSnapshotFile",
    valid: [snapshotFile],
    refuses: [MsgpackError],
    read: (bytes) => void decodeSnapshotFile(bytes)
  },
  {
    name: "unpackPlayer",
    valid: [packPlayer(fuzzed.player, { total: 3, name: "Ann" })],
    refuses: [CodecError],
    read: (bytes) => void unpackPlayer(fuzzed.player, bytes)
  },
  {
    name: "decodeFrame",
    valid: serverFrames,
    refuses: [MsgpackError, WireError],
    read: (bytes) => void decodeFrame(bytes)
  },
  {
    name: "fromDescriptor",
    valid: [Buffer.from(JSON.stringify(describe(fuzzed)))],
    refuses: [SchemaError, SyntaxError],
    read: (bytes) => void schemaHash(fromDescriptor(JSON.parse(bytes.toString())))
  }
]
