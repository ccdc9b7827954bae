import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { describe, expect, it } from "vitest"

import { descendantsOf } from "../testing/ProcessTree.ts"
import { broken } from "../testing/rooms/broken.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { call, deploy, deployAnew } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"
import { readStoredRoom } from "../testing/StoredRoom.ts"

const service = serviceUnderTest()

const newClient = (): Client => new Client(service.url, { project: service.project })

const awakeRooms = async (): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^atrium_rooms_awake (\d+)/m.exec(text)?.[1])
}

const exits = async (cause: string): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const pattern = new RegExp(`^atrium_room_exits_total\\{cause="${cause}"\\} (\\d+)`, "m")
  return Number(pattern.exec(text)?.[1] ?? 0)
}

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

  it("[D-24] RPCs go both ways, and a refusal keeps its code", async () => {
    const room = await newClient().joinOrCreate(probe, { roomId: "rpc" })
    room.onRequest("question", ({ text }) => ({ text: `${text}!` }))
    expect(await room.request("askBack", { question: "ready" })).toEqual({ answer: "ready!" })
    await expect(room.request("mark", { x: -1 })).rejects.toMatchObject({ code: "E_NEGATIVE" })
    room.leave()
  })

  it("[limits.player-fields.bytes] a player's fields follow it into another room", async () => {
    const client = newClient()
    const here = await client.joinOrCreate(probe, { roomId: "scores-1" })
    expect(await here.request("score", { by: 3 })).toEqual({ total: 3 })
    here.leave()
    const there = await client.joinOrCreate(probe, { roomId: "scores-2" })
    expect(await there.request("score", { by: 1 })).toEqual({ total: 4 })
    there.leave()
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
    const first = await newClient().joinOrCreate(probe, { roomId: "kept" })
    await first.request("list", {})
    await first.request("save", {})
    await first.leave()
    await hibernated()
    const asleep = await stored()
    expect(asleep).toMatchObject({ status: "hibernated", isPublic: true, started: false })
    expect(asleep?.saves).toEqual(["manual", "hibernate"])

    const second = await newClient().joinById("kept", probe)
    await second.request("begin", {})
    await second.request("addDurably", { by: 1 })
    const awake = await until("the row of the second stay", async () => {
      const row = await stored()
      return row?.started === true ? row : null
    })
    expect(awake).toMatchObject({ status: "awake", isPublic: true })
    expect(awake.epoch).toBeGreaterThan(asleep?.epoch ?? 0)
    // A durable call is stored without a generation of its own.
    expect(awake.saves).toEqual(["manual", "hibernate"])
    await second.leave()
    await hibernated()
    expect((await stored())?.saves).toEqual(["manual", "hibernate", "hibernate"])
  })

  it("[D-48] an alarm wakes a sleeping room", async () => {
    const room = await newClient().joinOrCreate(probe, { roomId: "alarmed" })
    await room.request("alarmIn", { ms: 1_500 })
    room.leave()
    await hibernated()
    await until("the alarm's wake", async () => (await awakeRooms()) === 1)
    await hibernated()
    const back = await newClient().joinById("alarmed", probe)
    expect(back.state.counter).toMatchObject({ alarms: 1, starts: 1 })
    back.leave()
  })

  it("[D-48] durable RPCs and save() answer when the state is stored", async () => {
    const room = await newClient().joinOrCreate(probe, { roomId: "durable" })
    expect(await room.request("addDurably", { by: 7 })).toEqual({ value: 7 })
    await room.request("save", {})
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => room.request("addDurably", { by: 1 }))
    )
    expect(answers.map(({ value }) => value)).toEqual(Array.from({ length: 20 }, (_, n) => 8 + n))
    room.leave()
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

describe("a new version", () => {
  it("[version.deployments] is deployed beside the old one; awake rooms move with their state", async () => {
    const room = await newClient().joinOrCreate(probe, { roomId: "mover" })
    await room.request("add", { by: 11 })
    expect(await room.request("version", {})).toEqual({ version: 1 })
    const seen: Array<string> = []
    room.onReconnect(() => seen.push("reconnect"))
    const answer = await deployAnew(service, ["rooms/probe.ts", "rooms/single.ts"])
    expect([answer.status, answer.body["version"]]).toEqual([201, 2])
    await until("the reconnect", () => seen.length === 1)
    expect(await room.request("version", {})).toEqual({ version: 2 })
    expect(room.state.counter.value).toBe(11)
    const { body } = await call(service.url, `/v1/projects/${service.project}/deployments`, {
      token: service.token
    })
    expect(Object.values(body)).toMatchObject([{ version: 2 }, { version: 1 }])
    room.leave()
  })

  it("[version.breaking] is refused when it could not read the stored rooms, naming the difference", async () => {
    const answer = await deploy(service, ["rooms/single.ts"])
    expect(answer).toEqual({
      status: 409,
      body: { error: { code: "E_SCHEMA_BREAKING", message: "probe: the room type is gone" } }
    })
  })
})
