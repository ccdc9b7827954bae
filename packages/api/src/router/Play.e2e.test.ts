import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { describe, expect, it } from "vitest"

import { descendantsOf } from "../testing/ProcessTree.ts"
import { broken } from "../testing/rooms/broken.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { figure } from "../testing/Runners.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"
import { readStoredRoom } from "../testing/StoredRoom.ts"

const service = sharedService()

const newClient = (): Client => new Client(service.url, { project: service.project })

const awakeRooms = async (): Promise<number> => {
  const path = `/v1/projects/${service.project}/metrics`
  const { body } = await call(service.url, path, { token: service.token })
  return Number(Object(body["roomsByState"])["awake"])
}

const exits = (cause: string): Promise<number> =>
  figure(service, `atrium_room_exits_total{cause="${cause}"}`)

const hibernated = (): Promise<true> =>
  until("every room sleeps", async () => (await awakeRooms()) === 0)

describe("two players in a room", () => {
  it("[D-24] join, play, talk and see the same state", async () => {
    const one = await newClient().joinOrCreate(probe, { roomId: "pair" })
    const two = await newClient().joinOrCreate(probe, { roomId: "pair" })
    const heard: Array<string> = []
    one.onMessage("say", ({ text }) => heard.push(text))
    const chats: Array<string> = []
    two.onChat(({ text }) => chats.push(text))

    two.send("say", { text: "hello" })
    one.chat("good luck")
    expect(await one.request("add", { by: 5 })).toEqual({ value: 5 })
    await two.request("mark", { x: 1.5 })

    await until("the message", () => heard.includes(`${two.sessionId}: hello`))
    await until("the chat line", () => chats.includes("good luck"))
    await until(
      "one state",
      () => one.stateHash() === two.stateHash() && one.state.marks.size === 2
    )
    expect(one.state.counter.value).toBe(5)
    expect([...one.state.marks].map((mark) => mark.x)).toEqual([0, 1.5])
    one.leave()
    two.leave()
  })

  it("[D-24] untyped messages come back as they went", async () => {
    const room = await newClient().joinOrCreate(probe, { roomId: "untyped" })
    const payload = { list: [1, "two", null, { three: 3.5 }], bytes: new Uint8Array([1, 2, 3]) }
    let echoed: unknown = null
    room.onMessage("anything", (value) => (echoed = value))
    room.send("anything", payload)
    await until("the echo", () => echoed !== null)
    expect(echoed).toEqual(payload)
    room.leave()
  })
})

describe("sleep and wake", () => {
  it("[D-48] an empty room hibernates and wakes with its state", async () => {
    const first = await newClient().joinOrCreate(probe, { roomId: "sleeper" })
    await first.request("add", { by: 42 })
    first.leave()
    await hibernated()
    const back = await newClient().joinById("sleeper", probe)
    expect(back.state.counter.value).toBe(42)
    expect(back.state.counter.starts).toBe(1)
    expect([...back.state.marks].map((mark) => mark.by)).toEqual([back.sessionId])
    back.leave()
  })

  it("[D-48] a sleeping room leaves no process behind", async () => {
    await hibernated()
    const before = descendantsOf(service.pid).length
    for (let stay = 0; stay < 6; stay++) {
      await newClient()
        .joinOrCreate(probe, { roomId: `stay-${stay}` })
        .then((room) => room.leave())
    }
    await hibernated()
    // One more: the spare process may just have been missing.
    await until("the processes end", () => descendantsOf(service.pid).length <= before + 1)
  })

  it("[D-48] each stay leaves its save; what the lobby was told is kept over a sleep", async () => {
    const stored = () => readStoredRoom(service.databaseUrl, "kept")
    const storedAsleep = () =>
      until("the row says that it sleeps", async () => {
        const row = await stored()
        return row?.status === "hibernated" ? row : null
      })
    const first = await newClient().joinOrCreate(probe, { roomId: "kept" })
    await first.request("list", {})
    await first.request("save", {})
    await first.leave()
    const asleep = await storedAsleep()
    expect(asleep).toMatchObject({ isPublic: true, started: false })
    expect(asleep.saves).toEqual(["manual", "hibernate"])

    const second = await newClient().joinById("kept", probe)
    await second.request("begin", {})
    await second.request("addDurably", { by: 1 })
    const awake = await until("the row of the second stay", async () => {
      const row = await stored()
      return row?.started === true ? row : null
    })
    expect(awake).toMatchObject({ status: "awake", isPublic: true })
    expect(awake.epoch).toBeGreaterThan(asleep.epoch ?? 0)
    // A durable call is stored without a generation of its own.
    expect(awake.saves).toEqual(["manual", "hibernate"])
    await second.leave()
    expect((await storedAsleep()).saves).toEqual(["manual", "hibernate", "hibernate"])
  })
})

describe("a lost connection", () => {
  it("[D-24] comes back into its session, and its state is the server's", async () => {
    const sockets: Array<WebSocket> = []
    class Cut extends WebSocket {
      constructor(url: string | URL, protocols?: string | Array<string>) {
        super(url, protocols)
        sockets.push(this)
      }
    }
    const client = new Client(service.url, { project: service.project, webSocket: Cut })
    const room = await client.joinOrCreate(probe, { roomId: "shaky" })
    const session = room.sessionId
    const token = room.reconnectionToken
    const seen: Array<string> = []
    room.onDrop(() => seen.push("drop"))
    room.onReconnect(() => seen.push("reconnect"))
    for (let round = 1; round <= 3; round++) {
      // 3000: neither the client's leave nor a code of the service, so the session is kept.
      sockets.at(-1)?.close(3000)
      await until(
        "the reconnect",
        () => seen.filter((what) => what === "reconnect").length === round
      )
      await room.request("mark", { x: round })
      await room.request("add", { by: 1 })
    }
    expect(seen).toEqual(["drop", "reconnect", "drop", "reconnect", "drop", "reconnect"])
    expect(room.sessionId).toBe(session)
    expect(room.reconnectionToken).not.toBe(token)
    // A second client's welcome is the server's own encoding of the whole state.
    const witness = await newClient().joinById("shaky", probe)
    await until("the same state", () => room.stateHash() === witness.stateHash())
    expect(
      [...room.state.marks].filter((mark) => mark.by === session).map((mark) => mark.x)
    ).toEqual([3])
    room.leave()
    witness.leave()
  })
})

describe("a room that fails", () => {
  it("[D-22] restarts from its saved state twice with its clients, the third time it closes", async () => {
    const room = await newClient().joinOrCreate(probe, { roomId: "fragile" })
    const closes: Array<number> = []
    room.onLeave((code) => closes.push(code))
    const restarts: Array<number> = []
    room.onRoomRestarted(({ staleMs }) => restarts.push(staleMs))
    await room.request("addDurably", { by: 9 })
    const before = await exits("crashed")
    const startedAt = performance.now()
    for (let crash = 1; crash <= 2; crash++) {
      // It goes back behind this one, and says so.
      await room.request("add", { by: 1 })
      await room.request("crash", {})
      await until("the process's death", async () => (await exits("crashed")) === before + crash)
      // The same socket, another process: what was not stored is gone, the rest is there.
      // A request that met the restart is told so, as nobody knows what became of it.
      const value = await until("an answer", () =>
        room.request("add", { by: 0 }).then(
          (answer) => answer.value,
          (error: unknown) => {
            expect(error).toMatchObject({ code: "E_ROOM_RESTARTED" })
            return null
          }
        )
      )
      expect(value).toBe(9)
      expect(closes).toEqual([])
      expect(restarts).toHaveLength(crash)
    }
    for (const staleMs of restarts) {
      expect(staleMs).toBeGreaterThan(0)
      expect(staleMs).toBeLessThan(performance.now() - startedAt)
    }
    await until("the line in the log", () =>
      /process ended: crashed [^\n]*; its stored state is \d+ ms older/.test(service.output())
    )
    await room.request("crash", {})
    await until("the close", () => closes.length > 0)
    expect(closes).toEqual([1011])
    const back = await newClient().joinById("fragile", probe)
    expect(back.state.counter.value).toBe(9)
    back.leave()
  })
})

describe("a room that does not start", () => {
  it("[D-22] refuses its players with 1011, and tells only the log why", async () => {
    const { body } = await call(service.url, "/v1/projects", {
      token: service.token,
      body: { name: "broken" }
    })
    const project = String(body["id"])
    expect((await deploy({ ...service, project }, ["rooms/broken.ts"])).status).toBe(201)
    const join = new Client(service.url, { project, reconnectForMs: 0 }).joinOrCreate(broken)
    const error: unknown = await join.then(
      () => null,
      (refusal: unknown) => refusal
    )
    expect(error).toMatchObject({ code: "E_ROOM_CRASHED", closeCode: 1011 })
    expect(String(error)).not.toContain("secret")
    await until("the log line", () => service.output().includes("a secret of the developer's"))
  })
})
