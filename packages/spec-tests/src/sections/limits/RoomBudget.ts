import { same, holds, Mismatch, oneOf } from "../../check/Expect.ts"
import { roomStage, stateOf, backAfter, withRooms } from "../../trial/RoomStage.ts"
import { waking } from "../Literals.ts"
import { refusedJoin } from "../RefusedJoin.ts"
import { budgetRow, clientRow } from "../RowKinds.ts"
import { section, tierB, tierC, rowOf } from "../Section.ts"
import { megabytes, atMost, gigabytes, mib } from "../Units.ts"
import { restarted } from "./MemoryCeiling.ts"
import { press, quietMs } from "./Pressure.ts"
import {
  livesBelowItsCeiling,
  fillsAServer,
  roomsMibOf,
  devProject,
  newestType
} from "./RoomBudgetProbes.ts"
import { wakeRooms, roomsPerServer } from "./ServerRooms.ts"

/** A row about a server, of which metrics tell how many rooms it has. */
const serverRow = tierC.taking({
  probe: ["ws"],
  hooks: ["fixture", "metrics"],
  features: ["budget"]
})
const fullServerRow = serverRow.taking({ probe: ["http", "ws"] })

/** Lines 378 to 382 of the specification: Room budget per server. */
export const roomBudgetSection = section("Limits / Room budget per server", {
  "budget.standard.memory": budgetRow(378, "standard: 64 MB per room", {
    boundary: { ...megabytes(64), outcome: {} },
    check: livesBelowItsCeiling("probe")
  }),
  "budget.standard.awake": fullServerRow(378, "standard: 20 awake rooms per server", {
    boundary: { ...atMost(20, "count"), outcome: waking },
    check: fillsAServer("probe")
  }),
  "budget.large.memory": budgetRow(379, "large: 256 MB per room", {
    boundary: { ...megabytes(256), outcome: {} },
    check: livesBelowItsCeiling("large")
  }),
  "budget.large.awake": fullServerRow(379, "large: 8 awake rooms per server", {
    boundary: { ...atMost(8, "count"), outcome: waking },
    check: fillsAServer("large")
  }),
  "budget.xlarge.memory": budgetRow(380, "xlarge: 1024 MB per room (1 GB)", {
    boundary: { ...gigabytes(1), outcome: {} },
    check: livesBelowItsCeiling("xlarge")
  }),
  "budget.xlarge.awake": fullServerRow(380, "xlarge: 3 awake rooms per server", {
    boundary: { ...atMost(3, "count"), outcome: waking },
    check: fillsAServer("xlarge")
  }),
  "budget.asleep-free": budgetRow(382, "asleep rooms take no budget", {
    check: {
      needs: ["servers"],
      timeoutMs: 60_000,
      title: "a room that sleeps leaves its place to another",
      run: withRooms(async (stage, trial) => {
        await stage.played("earlier", 1, { type: "xlarge" })
        await wakeRooms(stage, "xlarge", 2)
        const third = await stage.client("third", { type: "xlarge" })
        same("full", await roomsPerServer(trial, stage), [3])
        await third.leave()
        await stage.asleep("third")
        await stage.client("earlier", { type: "xlarge" })
        same("full again", await roomsPerServer(trial, stage), [3])
      })
    }
  }),
  "budget.mixed-fractions": serverRow(382, "mixed classes share one budget by fractions", {
    decisions: ["D-46"],
    is: { roomsPerServer: { standard: 20, large: 8, extraLarge: 3 } },
    check: {
      needs: ["servers"],
      timeoutMs: 60_000,
      title: "rooms of all classes share one budget, each by its fraction",
      run: withRooms(async (stage, trial) => {
        // 2/3 + 2/8 + 1/20 = 0.967: another twentieth does not fit.
        await wakeRooms(stage, "xlarge", 2)
        await wakeRooms(stage, "large", 2)
        await wakeRooms(stage, "probe", 1)
        same("0.967 of a server", await roomsPerServer(trial, stage), [5])
        await stage.client("one-more")
        same("1.017 of it", await roomsPerServer(trial, stage), [5, 1])
      })
    }
  }),
  "budget.sized-for-largest": tierC(382, "the server is sized for the largest class declared", {
    hooks: ["fixture", "metrics"],
    features: ["budget.sizing"],
    decisions: ["T-43"],
    check: {
      title:
        "a server is larger when the deployment declares a larger class, whatever its rooms are",
      run: async (trial) => {
        const standard = await roomsMibOf(trial, "elsewhere")
        const xlarge = await roomsMibOf(trial, "probe")
        holds("memory for rooms grows with the largest class", xlarge > standard, {
          standard,
          xlarge
        })
        trial.chosen("T-43", () =>
          same(
            "what a full server takes",
            { standard, xlarge },
            { standard: 20 * 64, xlarge: 3 * 1024 }
          )
        )
      }
    }
  }),
  "budget.default-standard": tierB(382, "declaring nothing gives Standard", {
    features: ["budget"],
    check: {
      title: "a type that declares no class is standard",
      run: withRooms(async (stage, trial) => {
        await stage.client("plain")
        const { class: named } = await stage.detail("plain")
        trial.chosen("D-15", () => same("its class", named, "standard"))
      })
    }
  }),
  "budget.full-adds-server": serverRow(382, "a full budget adds a server", {
    provedBy: "budget.standard.awake"
  }),
  "budget.free-stays-one": tierC(382, "the free plan stays on one server", {
    probe: ["ws"],
    hooks: ["fixture", "plan"],
    features: ["budget.free"],
    decisions: ["D-46", "T-42"],
    is: { servers: 1 },
    provedBy: ["limits.free.awake#standard", "limits.free.awake#xlarge"]
  }),
  "budget.per-server": serverRow(382, "the budget holds for each server separately", {
    check: {
      needs: ["servers"],
      timeoutMs: 60_000,
      title: "each server has the whole budget",
      run: withRooms(async (stage, trial) => {
        await wakeRooms(stage, "xlarge", 7)
        same("rooms of each", await roomsPerServer(trial, stage), [3, 3, 1])
      })
    }
  }),
  "memory.ceiling-counts-all": clientRow(
    382,
    "the ceiling counts typed arrays, buffers and WebAssembly memory",
    {
      check: {
        timeoutMs: 40_000,
        title: "typed arrays, buffers and WebAssembly memory count for the ceiling",
        run: withRooms(async (stage) => {
          for (const kind of ["buffer", "wasm", "array"] as const) {
            const client = await stage.client(kind)
            await client.call("addDurably", { by: 5 })
            const back = await restarted({ stage, room: kind, client, bytes: 120 * mib, kind })
            same(`after ${kind}`, (await stateOf(back)).value, 5)
          }
        })
      }
    }
  ),
  "memory.restart-from-saved": clientRow(382, "a room over its ceiling restarts from saved state", {
    sameAs: "state.worker.memory-restart"
  }),
  "memory.server.refuses-new": tierC(
    382,
    "near its own limit a server refuses new rooms with E_TENANT_WAKING",
    {
      probe: ["ws"],
      hooks: ["memory"],
      features: ["serverMemory"],
      error: { outcome: waking },
      check: {
        needs: ["servers", "fixture"],
        timeoutMs: 40_000,
        title: "a server near its memory limit takes no new room, and players in those that it has",
        run: withRooms(async (stage, trial) => {
          const { outcome } = rowOf("error", "memory.server.refuses-new")
          const first = await stage.client("held")
          const release = await press(trial, stage, "held")
          const refusal = await refusedJoin(await stage.socket("new"))
          same("the code", refusal.code, outcome.code)
          trial.chosen("D-24", () => same("the close code", refusal.close, outcome.close))
          const second = await stage.client("held")
          same("the room that it has", await second.call("add", { by: 2 }), { value: 2 })
          holds("who was there stays", first.isOpen(), "closed")
          same("its rooms", await stage.roomIds(), ["held"])
          await release()
          await stage.rejoin("new")
        })
      }
    }
  ),
  "memory.server.empty-sleep-early": tierC(382, "and puts empty rooms to sleep early", {
    hooks: ["memory"],
    features: ["serverMemory"],
    check: {
      needs: ["servers", "clock", "fixture"],
      alone: true,
      timeoutMs: 60_000,
      title:
        "near its memory limit a server puts empty rooms to sleep before their time, and no others",
      run: withRooms(async (stage, trial) => {
        const [empty, held] = [await stage.client("empty"), await stage.client("held")]
        await empty.call("addDurably", { by: 7 })
        // While time stands still, no room sleeps by itself.
        await trial.control.hold(true)
        trial.later(() => trial.control.hold(false))
        await empty.leave()
        await trial.pause(quietMs)
        const before = await stage.row("empty")
        holds("it is awake", before?.["status"] !== "hibernated", before?.["status"])
        const release = await press(trial, stage, "held")
        await stage.asleep("empty")
        same("the other one", (await stateOf(held)).created, 1)
        same("its welcomes", held.welcomes().length, 1)
        await release()
        await trial.control.hold(false)
        const { value, created } = await stateOf(await stage.rejoin("empty"))
        same("its state", { value, created }, { value: 7, created: 1 })
      })
    }
  }),
  "memory.server.restarts-largest": tierC(
    382,
    "if none remain it restarts its largest room from the last snapshot, losing later changes",
    {
      probe: ["ws"],
      hooks: ["memory"],
      features: ["serverMemory"],
      check: {
        needs: ["servers", "fixture"],
        timeoutMs: 60_000,
        title:
          "near its memory limit, no room being empty, a server restarts its largest from its snapshot",
        run: withRooms(async (stage, trial) => {
          const [small, large] = [await stage.client("small"), await stage.client("large")]
          for (const client of [small, large]) await client.call("addDurably", { by: 5 })
          large.say("fill", { bytes: 40 * mib, kind: "buffer" })
          await large.call("add", { by: 1 })
          await trial.pause(quietMs)
          const [before] = large.welcomes()
          if (before === undefined) {
            throw new Mismatch("the welcomes of a client", { expected: "one", actual: "none" })
          }
          const release = await press(trial, stage, "large")
          await trial.until("the largest room is started again", async () =>
            !large.isOpen() || large.welcomes().at(-1) !== before ? true : null
          )
          const back = await backAfter(stage, { client: large, room: "large", before })
          await trial.pause(quietMs)
          await release()
          const { value, created } = await stateOf(back)
          same("it did not begin anew", created, 1)
          // The later change may have been stored by itself just before.
          oneOf("the state of its last snapshot", value, [5, 6])
          same("welcomes of the smaller one", small.welcomes().length, 1)
          same("which goes on", await small.call("add", { by: 1 }), { value: 6 })
        })
      }
    }
  ),
  "memory.dev-heap": tierC(
    382,
    "room worker heap is 256 MB in local dev, derived from server memory in production",
    {
      probe: ["cli"],
      hooks: ["memory"],
      features: ["cli"],
      is: { heapBytes: 256 * mib },
      check: {
        needs: ["fixture"],
        alone: true,
        timeoutMs: 180_000,
        title:
          "a room worker of the project dev has a heap of 256 MB; elsewhere it is the server's to say",
        run: async (trial) => {
          const { heapBytes } = rowOf("statement", "memory.dev-heap").is ?? {}
          const project = devProject(trial)
          // Other code first: what is there already may be no new version.
          const { id } = await trial.project()
          const folder = await trial.cli.project({ kind: "declaring", id })
          const { code } = await trial.cli.runLoggedIn(["deploy", "--project", "dev"], { folder })
          same("the exit of a deploy to dev", code, 0)
          const { json } = await project.ask("/deployments")
          const before = Array.isArray(json) ? json.length : 0
          const found: Array<string> = []
          await trial.cli.runLoggedIn(["dev"], {
            folder: await trial.cli.project(),
            forMs: 90_000,
            until: () =>
              trial.until(
                "a deploy to dev",
                async () => {
                  const type = await newestType(project, before)
                  if (type !== null) found.push(type)
                  return type
                },
                90_000
              )
          })
          const room = `heap-${before}`
          const socket = await trial.socket({ project, room })
          await socket.join({ type: found[0] ?? null })
          same("its heap", await trial.control.heap("dev", room), heapBytes)

          const stage = await roomStage(trial)
          await stage.client("standard")
          await stage.client("large", { type: "large" })
          const heapOf = (name: string) => trial.control.heap(stage.project.id, name)
          const [standard, large] = [await heapOf("standard"), await heapOf("large")]
          trial.chosen("T-43", () => {
            holds("a larger class has a larger heap", large > standard, { standard, large })
          })
        }
      }
    }
  )
})
