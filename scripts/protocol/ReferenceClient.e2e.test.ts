import { get } from "node:http"

import { board } from "@atrium/api/testing/rooms/boardSchema"
import { probe } from "@atrium/api/testing/rooms/probeSchema"
import { call, deploy } from "@atrium/api/testing/RunningService"
import { sharedService } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom } from "@atrium/sdk/client"
import { ConversationV1 } from "@atrium/spec-tests/codec/ConversationV1"
import { defaultCodecs } from "@atrium/spec-tests/codec/DefaultCodecs"
import { packMsgpack } from "@atrium/spec-tests/codec/Msgpack"
import type { Descriptor } from "@atrium/spec-tests/codec/WireValues"
import { openRoomSocket } from "@atrium/spec-tests/trial/RoomSockets"
import { beforeAll, describe, expect, test } from "vitest"

const service = sharedService()
let token: string

beforeAll(async () => {
  const { body } = await call(service.url, "/v1/identity", { body: { project: service.project } })
  token = String(body["token"])
})

const address = (): string => service.url.replace("http", "ws")

/** The suite's client of a room, which follows the state. */
const open = async (
  room: string,
  {
    project = service.project,
    known
  }: { readonly project?: string; readonly known?: Descriptor } = {}
) => {
  const conversation = new ConversationV1({
    follows: true,
    ...(known === undefined ? {} : { known })
  })
  const codec = { ...defaultCodecs.room, conversation: () => conversation }
  const socket = await openRoomSocket(
    {
      codecs: { ...defaultCodecs, room: codec },
      config: { name: "docs", baseUrl: service.url, accounts: ["", ""], features: [] },
      patience: 1,
      note: () => undefined,
      later: () => undefined,
      send: () => Promise.reject(new Error("each hello has its token"))
    },
    { project: { id: project }, room }
  )
  return { socket, conversation }
}

describe("a client written from docs/protocol.md", () => {
  test("[D-24] plays beside the SDK: one state, messages, RPCs both ways, chat", async () => {
    const sdk = await new Client(service.url, { project: service.project }).joinOrCreate(probe, {
      roomId: "foreign"
    })
    const { socket, conversation } = await open("foreign")
    const { clientId, relay, described } = await socket.join({ token, type: null })
    expect([relay, described]).toEqual([false, true])
    socket.onCall((name, args) => ({
      text: `${name} ${String(Reflect.get(Object(args), "text"))}`
    }))
    expect(await socket.call("add", { by: 5 })).toEqual({ value: 5 })
    await expect(socket.call("mark", { x: -1 })).rejects.toMatchObject({ code: "E_NEGATIVE" })
    expect(await socket.call("mark", { x: 2.5 })).toEqual({})
    expect(await socket.call("askBack", { question: "cell" })).toEqual({ answer: "question cell" })
    socket.say("say", { text: "hello" })
    socket.say("anything", { list: [1, "two", null] })
    sdk.chat("good luck")
    const heard = () => [socket.heard("say"), socket.heard("anything")]
    await until("both messages", () => heard().flat().length === 2)
    expect(heard()).toEqual([[{ text: `${clientId}: hello` }], [{ list: [1, "two", null] }]])
    await until("the chat line", () => socket.chats().length === 1)
    expect(socket.chats()).toMatchObject([{ from: sdk.sessionId, line: "good luck" }])
    await until("one state", () => conversation.state.hash() === sdk.stateHash())
    expect(conversation.singleton("counter")).toEqual({ value: 5, starts: 1, alarms: 0 })
    expect(socket.errors()).toEqual([])
    await socket.leave()
    await until("its leave", () => sdk.state.marks.size === 1)
    // The hash of the descriptor that it was sent is the service's own: no second one is sent.
    const again = await open("foreign", { known: conversation.schema })
    expect((await again.socket.join({ token, type: null })).described).toBe(false)
    expect(again.conversation.state.hash()).toBe(sdk.stateHash())
    await again.socket.leave()
    await sdk.leave()
  })

  test("[D-24] resumes its session after a drop, with this token or the one before", async () => {
    const join = async (hello: { readonly type?: string; readonly resume?: string }) => {
      const { socket } = await open("again")
      return { socket, welcome: await socket.join({ token, type: null, ...hello }) }
    }
    const drop = async ({ socket }: Awaited<ReturnType<typeof join>>): Promise<void> => {
      socket.drop()
      await socket.closed
    }
    const first = await join({ type: "probe" })
    const { clientId, playerId, resume } = first.welcome
    await drop(first)
    const second = await join({ resume })
    expect(second.welcome.clientId).toBe(clientId)
    await drop(second)
    const third = await join({ resume })
    expect(third.welcome).toMatchObject({ clientId, playerId })
    // The older connection of a session gives way.
    const fourth = await join({ resume: third.welcome.resume })
    expect(fourth.welcome.clientId).toBe(clientId)
    expect(await third.socket.closed).toEqual({ code: 1000, reason: "resumed elsewhere" })
    await fourth.socket.leave()
    const fifth = await join({ resume: fourth.welcome.resume })
    expect(fifth.welcome.clientId).not.toBe(clientId)
    await fifth.socket.leave()
  })
})

/** Both write values that hold others, and follow what changes in them. */
const playCards = async ({
  sdk,
  socket,
  conversation
}: Awaited<ReturnType<typeof open>> & { readonly sdk: ClientRoom<typeof board> }) => {
  const hand = await sdk.add("hands", {
    cards: [{ suit: "hearts", rank: 2 }],
    bag: new Map([[300, { count: 1 }]])
  })
  await sdk.set("hands", hand, { bag: new Map([[300, { count: 2 }]]), aim: { x: 1, y: 2 } })
  await sdk.set("hands", hand, { aim: undefined })
  const fields = {
    cards: [{ suit: "clubs", rank: 9 }, { rank: 3 }],
    bag: [
      [7, { count: 5, mark: "x" }],
      [8, {}]
    ],
    aim: { y: 1.5 }
  }
  const [key = 0] = await socket.relay.write({ op: "add", collection: "hands", fields })
  await socket.relay.write({
    op: "set",
    collection: "hands",
    key,
    fields: { bag: [[8, { count: 1 }]] }
  })
  const wrong = { bag: [[7, { count: 256 }]] }
  await expect(
    socket.relay.write({ op: "set", collection: "hands", key, fields: wrong })
  ).rejects.toMatchObject({ code: "E_WRITE_REJECTED" })
  await until("one state", () => conversation.state.hash() === sdk.stateHash())
  expect(JSON.parse(JSON.stringify(sdk.state.hands))).toEqual([
    { id: 1, cards: [{ suit: "hearts", rank: 2 }], bag: [[300, { count: 2 }]] },
    {
      id: 2,
      cards: [
        { suit: "clubs", rank: 9 },
        { suit: "clubs", rank: 3 }
      ],
      bag: [[8, { count: 1 }]],
      aim: { x: 0, y: 1.5 }
    }
  ])
}

describe("a client written from docs/protocol.md in a relay room", () => {
  test("[D-24] writes, owns and sends beside the SDK", async () => {
    const made = await call(service.url, "/v1/projects", {
      token: service.token,
      body: { name: "relay" }
    })
    const project = String(made.body["id"])
    await deploy({ ...service, project }, ["rooms/boardSchema.ts"])
    const { body } = await call(service.url, "/v1/identity", { body: { project } })
    const sdk = await new Client(service.url, { project }).joinOrCreate(board, { roomId: "shared" })
    const { socket, conversation } = await open("shared", { project })
    const { clientId, relay } = await socket.join({ token: String(body["token"]), type: null })
    expect([relay, sdk.relay]).toEqual([true, true])
    const shape = {
      op: "add",
      collection: "shapes",
      fields: { x: 7, kind: "line", label: "ü" }
    } as const
    const blob = {
      op: "add",
      collection: "blobs",
      fields: { data: new Uint8Array([1, 2, 3]) }
    } as const
    const topic = { op: "set", collection: "topic", key: 0, fields: { title: "ours" } } as const
    expect(await socket.relay.write(shape, blob, topic)).toEqual([1, 1])
    await until("one state", () => conversation.state.hash() === sdk.stateHash())
    expect(sdk.state.shapes.get(1)?.toJSON()).toEqual({ id: 1, x: 7, kind: "line", label: "ü" })
    const remove = (key: number) => socket.relay.write({ op: "remove", collection: "shapes", key })
    await expect(remove(9)).rejects.toMatchObject({ code: "E_WRITE_REJECTED" })
    await playCards({ sdk, socket, conversation })
    const mine = await sdk.add("shapes", { x: 1 })
    expect(await socket.relay.own("shapes", mine)).toBe(false)
    sdk.onOwnAsked(() => true)
    expect(await socket.relay.own("shapes", mine)).toBe(true)
    expect(await remove(mine)).toEqual([])
    for (const [collection, granted] of [
      ["shapes", true],
      ["blobs", false]
    ] as const) {
      const answer = sdk.own(collection, 1)
      await until(
        "the question",
        () => socket.relay.asks().at(-1)?.record.collection === collection
      )
      const ask = socket.relay.asks().at(-1)
      expect(ask?.record).toEqual({ collection, key: 1 })
      socket.relay.answer(ask?.request ?? 0, granted)
      expect(await answer).toBe(granted)
    }
    const heard: Array<unknown> = []
    sdk.onSent(({ from, data }) => heard.push([from, data]))
    socket.relay.send(null, { at: [1, "two", null] })
    sdk.send([clientId], new Uint8Array([9]))
    await until("both", () => heard.length + socket.relay.sent().length === 2)
    expect(heard).toEqual([[clientId, { at: [1, "two", null] }]])
    expect(socket.relay.sent()).toMatchObject([{ from: sdk.sessionId, data: new Uint8Array([9]) }])
    expect([socket.errors(), conversation.state.hash()]).toEqual([[], sdk.stateHash()])
    await socket.leave()
    await sdk.leave()
  })
})

/** A bare socket, its messages as hex, and its end. */
const connect = (room: string) => {
  const url = `${address()}/v1/rooms/${service.project}/${room}`
  const socket = new WebSocket(url, "rooms.v1")
  socket.binaryType = "arraybuffer"
  const frames: Array<string> = []
  socket.onmessage = ({ data }) => frames.push(Buffer.from(data).toString("hex"))
  const closed = new Promise<number>((resolve) => {
    socket.onclose = ({ code }) => resolve(code)
  })
  const greet = async (): Promise<void> => {
    await until("the open socket", () => socket.readyState === WebSocket.OPEN)
    socket.send(packMsgpack([1, token, "probe"]))
    await until("the welcome", () => frames.length > 0)
  }
  return { socket, frames, closed, greet }
}

describe("what docs/protocol.md says of the connection", () => {
  test("[D-24] the subprotocol is named in the answer", async () => {
    const offered = connect("protocols")
    await offered.greet()
    expect(offered.socket.protocol).toBe("rooms.v1")
    offered.socket.close(1000)
  })

  test("[D-24] a message of more than 2 MiB is closed by 1009", async () => {
    const { socket, closed, greet } = connect("large")
    await greet()
    socket.send(new Uint8Array(2 * 1024 * 1024 + 1))
    expect(await closed).toBe(1009)
  })

  test.each([
    ["a second hello", packMsgpack([1, "t"])],
    ["a head of more than one byte", Uint8Array.of(0xdc, 0, 2, 5, 1)],
    ["a type of more than one byte", Uint8Array.of(0x92, 0xcc, 5, 1)],
    ["no array", Uint8Array.of(5)]
  ])("[D-24] %s ends the connection with 1003", async (_what, frame) => {
    const { socket, closed, greet } = connect("strict")
    await greet()
    socket.send(frame)
    expect(await closed).toBe(1003)
  })

  test("[D-24] a record that does not fit is E_BAD_MESSAGE, and the connection stays", async () => {
    const { socket, frames, greet } = connect("lenient")
    await greet()
    // The message 0 takes text; 99 is not of the schema; a ping tells that both are through.
    socket.send(packMsgpack([2, 0, Uint8Array.of(5)]))
    socket.send(packMsgpack([2, 99, null]))
    socket.send(packMsgpack([3, 7, 99, null]))
    socket.send(packMsgpack([5, "still here"]))
    const told = (): ReadonlyArray<string> => frames.filter((hex) => hex.startsWith("9415"))
    await until("both errors", () => told().length === 2)
    const code = Buffer.from("E_BAD_MESSAGE").toString("hex")
    expect(told().every((hex) => hex.includes(code))).toBe(true)
    expect(told().map((hex) => hex.slice(-2))).toEqual(["00", "63"])
    await until("the refusal", () => frames.some((hex) => hex.startsWith("941307c2")))
    await until("the pong", () => frames.some((hex) => hex.startsWith("9216")))
    socket.close(1000)
  })

  test("[D-24] another path is 404 before any WebSocket", async () => {
    const headers = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
      "sec-websocket-version": "13"
    }
    const status = await new Promise<number | undefined>((resolve) => {
      get(`${service.url}/v1/rooms/${service.project}`, { headers }, (response) => {
        resolve(response.statusCode)
        response.resume()
      })
    })
    expect(status).toBe(404)
  })
})
