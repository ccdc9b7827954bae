import { get } from "node:http"

import { board } from "@atrium/api/testing/rooms/boardSchema"
import { probe } from "@atrium/api/testing/rooms/probeSchema"
import {
  call,
  deploy,
  makeHome,
  type RunningService,
  type ServiceHome,
  until
} from "@atrium/api/testing/RunningService"
import { Client } from "@atrium/sdk/client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { packMsgpack } from "./Msgpack.ts"
import { type Join, ReferenceClient } from "./ReferenceClient.ts"

let home: ServiceHome
let service: RunningService
let token: string

beforeAll(async () => {
  home = await makeHome()
  service = await home.start()
  const { body } = await call(service.url, "/v1/identity", { body: { project: service.project } })
  token = String(body["token"])
})

afterAll(async () => {
  await service.stop()
  await home.remove()
})

const address = (): string => service.url.replace("http", "ws")

const join = (room: string, more: Partial<Join> = {}): ReferenceClient =>
  new ReferenceClient({ service: address(), project: service.project, token, room, ...more })

describe("a client written from docs/protocol.md", () => {
  test("[D-24] plays beside the SDK: one state, messages, RPCs both ways, chat", async () => {
    const sdk = await new Client(service.url, { project: service.project }).joinOrCreate(probe, {
      roomId: "foreign"
    })
    const foreign = join("foreign")
    const { clientId, relay, described } = await foreign.welcomed
    expect([relay, described]).toEqual([false, true])
    foreign.onCall = (name, args) => ({
      text: `${name} ${String(Reflect.get(Object(args), "text"))}`
    })
    expect(await foreign.call("add", { by: 5 })).toEqual({ value: { value: 5 } })
    expect(await foreign.call("mark", { x: -1 })).toMatchObject({ code: "E_NEGATIVE" })
    expect(await foreign.call("mark", { x: 2.5 })).toEqual({ value: {} })
    expect(await foreign.call("askBack", { question: "cell" })).toEqual({
      value: { answer: "question cell" }
    })
    foreign.send("say", { text: "hello" })
    foreign.send("anything", { list: [1, "two", null] })
    sdk.chat("good luck")
    await until("both messages", () => foreign.messages.length === 2)
    expect(foreign.messages).toEqual([
      ["say", { text: `${clientId}: hello` }],
      ["anything", { list: [1, "two", null] }]
    ])
    await until("the chat line", () => foreign.chats.length === 1)
    expect(foreign.chats).toEqual([[sdk.sessionId, "good luck"]])
    await until("one state", () => foreign.state.hash() === sdk.stateHash())
    expect(foreign.singleton("counter")).toEqual({ value: 5, starts: 1, alarms: 0 })
    expect(foreign.errors).toEqual([])
    foreign.close(1000)
    await until("its leave", () => sdk.state.marks.size === 1)
    // The hash of the descriptor that it was sent is the service's own: no second one is sent.
    const again = join("foreign", { known: foreign.schema })
    expect((await again.welcomed).described).toBe(false)
    expect(again.state.hash()).toBe(sdk.stateHash())
    again.close(1000)
    await sdk.leave()
  })

  test("[D-24] resumes its session after a drop, with this token or the one before", async () => {
    const first = join("again", { type: "probe" })
    const welcome = await first.welcomed
    first.close(4000)
    await first.closed
    const second = join("again", { resume: welcome.resume })
    expect((await second.welcomed).clientId).toBe(welcome.clientId)
    second.close(4000)
    await second.closed
    const third = join("again", { resume: welcome.resume })
    expect(await third.welcomed).toMatchObject({
      clientId: welcome.clientId,
      playerId: welcome.playerId
    })
    // The older connection of a session gives way.
    const fourth = join("again", { resume: (await third.welcomed).resume })
    expect((await fourth.welcomed).clientId).toBe(welcome.clientId)
    expect(await third.closed).toEqual({ code: 1000, reason: "resumed elsewhere" })
    fourth.close(1000)
    await fourth.closed
    const fifth = join("again", { resume: (await fourth.welcomed).resume })
    expect((await fifth.welcomed).clientId).not.toBe(welcome.clientId)
    fifth.close(1000)
  })
})

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
    const foreign = join("shared", { project, token: String(body["token"]) })
    const { clientId, relay } = await foreign.welcomed
    expect([relay, sdk.relay]).toEqual([true, true])
    const ops = [
      { op: "add", c: "shapes", v: { x: 7, kind: "line", label: "ü" } },
      { op: "add", c: "blobs", v: { data: new Uint8Array([1, 2, 3]) } },
      { op: "set", c: "topic", k: 0, v: { title: "ours" } }
    ]
    expect(await foreign.write(ops)).toEqual({ value: [1, 1] })
    await until("one state", () => foreign.state.hash() === sdk.stateHash())
    expect(sdk.state.shapes.get(1)?.toJSON()).toEqual({ id: 1, x: 7, kind: "line", label: "ü" })
    expect(await foreign.write([{ op: "remove", c: "shapes", k: 9 }])).toMatchObject({
      code: "E_WRITE_REJECTED"
    })
    const mine = await sdk.add("shapes", { x: 1 })
    expect(await foreign.own("shapes", mine)).toBe(false)
    sdk.onOwnAsked(() => true)
    expect(await foreign.own("shapes", mine)).toBe(true)
    expect(await foreign.write([{ op: "remove", c: "shapes", k: mine }])).toEqual({ value: [] })
    foreign.onAsked = (collection, key) => collection === "shapes" && key === 1
    expect(await sdk.own("shapes", 1)).toBe(true)
    expect(await sdk.own("blobs", 1)).toBe(false)
    const heard: Array<unknown> = []
    sdk.onSent(({ from, data }) => heard.push([from, data]))
    foreign.sendTo(null, { at: [1, "two", null] })
    sdk.send([clientId], new Uint8Array([9]))
    await until("both", () => heard.length + foreign.sent.length === 2)
    expect(heard).toEqual([[clientId, { at: [1, "two", null] }]])
    expect(foreign.sent).toEqual([[sdk.sessionId, new Uint8Array([9])]])
    expect([foreign.errors, foreign.state.hash()]).toEqual([[], sdk.stateHash()])
    foreign.close(1000)
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
