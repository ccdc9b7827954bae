import { isRefusal, isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, same, Untestable } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import { roomStage, stateOf, type RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"

/** The server that holds a room. */
const serverOf = async (trial: Trial, stage: RoomStage, room: string): Promise<string> => {
  const servers = await trial.control.servers(stage.project.id)
  const holder = servers.find(({ rooms }) => rooms.includes(room))
  if (holder === undefined) throw new Untestable(`no server holds ${room}`)
  return holder.id
}

/** Does not answer any more, until the check ends or resumes it. */
const paused = async (trial: Trial, server: string): Promise<void> => {
  trial.later(() => trial.control.server("resume", server))
  await trial.control.server("pause", server)
}

const reachChecks: ReadonlyArray<Check> = [
  {
    ids: [
      "state.room.force-delete.unreachable",
      "rooms.delete.force.names-server",
      "error.http.E_EVICT_FAILED"
    ] as const,
    needs: ["fixture"],
    timeoutMs: 60_000,
    title: "a forced delete on a server that does not answer is 502, names it and deletes nothing",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("held")
      await client.call("addDurably", { by: 7 })
      await client.call("save")
      const saves = await stage.saves("held")
      const server = await serverOf(trial, stage, "held")
      await paused(trial, server)
      const answer = await stage.remove("held", "?force=true")
      isRefusal(trial, answer, {
        outcome: { ...rowOf("move", "state.room.force-delete.unreachable").outcome },
        naming: server
      })
      same("its generations", await stage.saves("held"), saves)
      await trial.control.server("resume", server)
      const state = await trial.until("the room answers again", async () => {
        const back = client.isOpen() ? client : await stage.rejoin("held")
        return stateOf(back).catch(() => null)
      })
      same("its state", { value: state.value, created: state.created }, { value: 7, created: 1 })
      same("it is listed", await stage.roomIds(), ["held"])
    }
  },
  {
    ids: ["rooms.status.advisory"],
    needs: ["fixture"],
    title: "status is what the server reported last, also when it does not answer any more",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.client("held")
      const before = await stage.row("held")
      await paused(trial, await serverOf(trial, stage, "held"))
      const after = await stage.row("held")
      same("the status of a server that stands still", after?.["status"], before?.["status"])
      holds("which is not asleep", after?.["status"] !== "hibernated", after)
    }
  },
  {
    ids: ["rooms.list.active-true"],
    needs: ["fixture"],
    timeoutMs: 40_000,
    title: "active=true lists rooms that are awake in a server that lives",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.played("asleep")
      await stage.client("awake")
      same("awake", await stage.roomIds("?active=true"), ["awake"])
      await paused(trial, await serverOf(trial, stage, "awake"))
      await trial.until(
        "the room of a dead server leaves active=true",
        async () => ((await stage.roomIds("?active=true")).length === 0 ? true : null),
        20_000
      )
      same("it is among the others", (await stage.roomIds("?active=false")).toSorted(), [
        "asleep",
        "awake"
      ])
      holds("its row says awake", (await stage.row("awake"))?.["status"] !== "hibernated", "asleep")
    }
  },
  {
    ids: ["state.room.delete-race-fresh-room"],
    timeoutMs: 40_000,
    title: "who comes back between eviction and deletion has a fresh room, which stays",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("raced")
      await client.call("addDurably", { by: 7 })
      await client.call("save")
      const deleted = stage.remove("raced", "?force=true")
      await client.end()
      // As a player who does not take 4291 for an end: at once, while the state is being removed.
      const back = await stage.client("raced")
      isSuccess(await deleted)
      const { value, created } = await stateOf(back)
      same("a room without state", { value, created }, { value: 0, created: 1 })
      await back.call("addDurably", { by: 1 })
      holds("it stays", back.isOpen(), "closed")
      await back.leave()
      await stage.asleep("raced")
      same("also asleep", (await stateOf(await stage.client("raced"))).value, 1)
    }
  }
]

const storedChecks: ReadonlyArray<Check> = [
  {
    ids: [
      "state.room.delete-asleep.all-versions",
      "state.room.delete-asleep.saves",
      "rooms.delete.result.objects"
    ] as const,
    title: "deleting a sleeping room removes what is stored of it, of all versions, and counts it",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const of = (room: string) => trial.control.objects(stage.project.id, room)
      await stage.played("neighbour")
      for (const fixture of ["probe", "next"] as const) {
        await stage.deploy(fixture)
        const client = await stage.client("stored")
        for (let save = 0; save < 3; save++) {
          await client.call("add", { by: 1 })
          await client.call("save")
        }
        await client.leave()
        await stage.asleep("stored")
      }
      const saves = await stage.saves("stored")
      holds("generations of two versions", saves.length >= 6, saves.length)
      const stored = await of("stored")
      holds("they are stored", stored.length >= saves.length, stored.length)
      const others = await of("neighbour")
      const answer = await stage.remove("stored")
      isSuccess(answer)
      same("objects of the answer", Object(answer.json).objects, stored.length)
      same("what is stored of it", await of("stored"), [])
      same("what is stored of another", await of("neighbour"), others)
      same("its generations", (await stage.ask("/stored/saves")).status, 404)
      for (const id of saves) same("their bytes", (await stage.bytes("stored", id)).status, 404)
      const client = await stage.client("forced")
      await client.call("addDurably", { by: 1 })
      await client.call("save")
      const held = await of("forced")
      const forced = await stage.remove("forced", "?force=true")
      isSuccess(forced)
      same("objects of a forced delete", Object(forced.json).objects, held.length)
      same("what is stored of it by then", await of("forced"), [])
    }
  },
  {
    ids: ["state.room.delete-asleep.alarms"],
    title: "no alarm of a deleted room rings",
    run: async (trial) => {
      const stage = await roomStage(trial)
      for (const room of ["deleted", "kept"]) {
        const client = await stage.client(room)
        await client.call("addDurably", { by: 1 })
        await client.call("alarmIn", { ms: 3000 })
        await client.call("addDurably", { by: 1 })
        await client.leave()
        await stage.asleep(room)
      }
      isSuccess(await stage.remove("deleted"))
      await trial.until("the alarm of the other room", async () => {
        const client = await stage.client("kept")
        const { alarms } = await stateOf(client)
        await client.leave()
        return alarms > 0 ? true : null
      })
      await trial.pause(2000)
      same("the list", await stage.roomIds(), ["kept"])
      same("what is stored", await trial.control.objects(stage.project.id, "deleted"), [])
      same("the next room of that id", (await stateOf(await stage.client("deleted"))).alarms, 0)
    }
  },
  {
    ids: ["rooms.detail.one-storage-listing"],
    needs: ["fixture"],
    title: "reading one room costs one listing of the storage",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.played("room")
      const listings = async () =>
        Number((await trial.control.metrics(stage.project.id))["storageListings"])
      const before = await listings()
      await stage.detail("room")
      same("listings of one read", (await listings()) - before, 1)
      await stage.detail("room")
      same("of two", (await listings()) - before, 2)
      await stage.client("awake")
      await stage.counted("awake", 1)
      const atFirst = await listings()
      await stage.detail("awake")
      same("of a room that is awake", (await listings()) - atFirst, 1)
    }
  }
]

const metricChecks: ReadonlyArray<Check> = [
  {
    ids: [
      "metrics.sockets",
      "metrics.roomsByState",
      "metrics.ingressBytes",
      "metrics.egressBytes",
      "metrics.rss"
    ] as const,
    needs: ["fixture"],
    title: "sockets, rooms by state, bytes in and out, and memory are exposed",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const read = () => trial.control.metrics(stage.project.id)
      same("sockets at first", (await read())["sockets"], 0)
      await stage.played("asleep")
      const [one, two] = [await stage.client("awake"), await stage.client("awake")]
      const before = await read()
      same("sockets", before["sockets"], 2)
      const counts = Object.values(Object(before["roomsByState"])).map(Number)
      same(
        "rooms of all states",
        counts.reduce((sum, count) => sum + count, 0),
        2
      )
      same("asleep", Object(before["roomsByState"])["hibernated"], 1)
      holds("rss", Number(before["rss"]) > 1_000_000, before["rss"])
      const shown = (await stage.project.ask("/metrics")).json
      const five = ["egressBytes", "ingressBytes", "roomsByState", "rss", "sockets"]
      trial.chosen("D-37", () =>
        same("what the owner reads", Object.keys(Object(shown)).toSorted(), five)
      )
      await one.call("echo", "x".repeat(100_000))
      const after = await read()
      for (const metric of ["ingressBytes", "egressBytes"]) {
        const grown = Number(after[metric]) - Number(before[metric])
        holds(`${metric} of 100,000 bytes`, grown >= 100_000 && grown < 110_000, grown)
      }
      await two.leave()
      await trial.until("one socket", async () => ((await read())["sockets"] === 1 ? true : null))
    }
  },
  {
    ids: ["slow.refused-bytes-unbilled"],
    timeoutMs: 60_000,
    title: "what a slow client is not sent does not count as egress",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const [slow, reader] = [await stage.client("fast"), await stage.client("fast")]
      const egress = async () =>
        Number((await trial.control.metrics(stage.project.id))["egressBytes"])
      const before = await egress()
      slow.stall(true)
      const mib = 1024 * 1024
      for (let part = 0; part < 24; part++) {
        await reader.call("flood", { bytes: 64 * 1024, count: 16 })
      }
      await stage.counted("fast", 1)
      slow.stall(false)
      await slow.end()
      const received = (slow.heard("blob").length + reader.heard("blob").length) * 64 * 1024
      const counted = (await egress()) - before
      holds("the slow one lacks some", slow.heard("blob").length < 24 * 16, "nothing")
      const apart = Math.abs(counted - received)
      holds("egress is what was received", apart < mib, `${counted}, received ${received}`)
    }
  }
]

/** What an operator's hooks show: servers that hang, what is stored, what is counted. */
export const serverChecks: ReadonlyArray<Check> = [...reachChecks, ...storedChecks, ...metricChecks]
