import fc from "fast-check"
import { expect, test } from "vitest"

import { step } from "./RoomMachine.ts"
import { type RoomAction, RoomEvent, type RoomKind, RoomState } from "./RoomState.ts"

const kind: RoomKind = { type: "arena", class: "standard", version: 1 }

/** How the next starts of a room go; when none is left, they succeed. */
type Luck = "runs" | "full" | "near" | "closing" | "fails"

/** A room's life told plainly: no epochs claimed, no orders, no waiting. */
interface Life {
  status: "absent" | "asleep" | "closed" | "awake"
  /** A restore is queued; it takes effect when it is due. */
  queued: boolean
  epoch: number
  deathsMs: Array<number>
  nowMs: number
}

/** The machine with servers that do as they are told, performed as the actor's shell does. */
class Service {
  state: RoomState = RoomState.Absent()
  nowMs = 0
  clientsBack = false
  reachable = true
  started = false
  answers: Array<RoomAction> = []
  closed: Array<string> = []
  #luck: Array<Luck> = []
  #lastEpoch = 0

  happens(event: RoomEvent, luck: ReadonlyArray<Luck> = []): void {
    this.#luck = [...luck]
    this.answers = []
    this.closed = []
    const events = [event]
    for (let next = events.shift(); next !== undefined; next = events.shift()) {
      const [state, actions] = step(this.state, next)
      this.state = state
      for (const action of actions) {
        const outcome = this.#perform(action)
        if (outcome !== null) events.push(outcome)
      }
    }
  }

  #perform(action: RoomAction): RoomEvent | null {
    switch (action._tag) {
      case "ClaimEpoch":
        return RoomEvent.EpochClaimed({ epoch: ++this.#lastEpoch })
      case "ClaimPlace":
        return RoomEvent.Placed({ epoch: ++this.#lastEpoch, serverIndex: 0 })
      case "StartRoom":
      case "RestartRoom":
        return this.#start(action.at.epoch)
      case "DrainRoom":
        return RoomEvent.Drained({
          epoch: action.at.epoch,
          clientsBack: this.clientsBack,
          entered: true
        })
      case "CloseRoom":
        this.closed.push(action.because)
        return null
      case "EvictRoom": {
        const { epoch } = action.at
        if (!this.reachable) return RoomEvent.EvictionFailed({ epoch, server: "srv_1" })
        this.closed.push("deleted")
        return RoomEvent.Evicted({ epoch })
      }
      case "RemoveState":
        return RoomEvent.StateRemoved({ objects: 2 })
      case "PublishRoom":
        return RoomEvent.Published({ settings: action.settings, started: this.started })
      case "SaveSettings":
        return RoomEvent.SettingsSaved()
      case "PlaceSave":
        return RoomEvent.SavePlaced({ found: true })
      case "Doubt":
        return null
      case "AnswerDeleted":
      case "AnswerDone":
      case "Answer":
      case "Refuse":
        this.answers.push(action)
        return null
    }
  }

  #start(epoch: number): RoomEvent {
    switch (this.#luck.shift() ?? "runs") {
      case "runs":
        return RoomEvent.Started({ epoch, slot: 0 })
      case "full":
        return RoomEvent.ServerFull({ epoch, next: 1 })
      case "near":
        return RoomEvent.ServerWaking({ epoch, message: "near its limit" })
      case "closing":
        return RoomEvent.ServerRefused({ epoch })
      case "fails":
        return RoomEvent.StartFailed({ epoch, nowMs: this.nowMs, message: "boom" })
    }
  }
}

type Told = fc.Command<Life, Service>

const agree = (life: Life, room: Service): void => {
  const { state } = room
  const statuses = new Map<string, Life["status"]>([
    ["Absent", "absent"],
    ["Hibernated", "asleep"],
    ["Closed", "closed"],
    ["Awake", "awake"],
    ["Restoring", life.status]
  ])
  expect(state._tag === "Restoring").toBe(life.queued)
  // No chain of steps ends in a state that waits: there would be nobody to wake it.
  expect([...statuses.keys()]).toContain(state._tag)
  expect(statuses.get(state._tag)).toBe(life.status)
  if (state._tag === "Awake") expect(state.at.epoch).toBe(life.epoch)
}

const command = (
  name: string,
  tell: (life: Life) => void,
  happen: (room: Service, life: Readonly<Life>) => void
): Told => ({
  check: () => true,
  run: (life, room) => {
    const before = { ...life }
    tell(life)
    happen(room, before)
    agree(life, room)
  },
  toString: () => name
})

const rest = (life: Life, status: "absent" | "asleep" | "closed"): void => {
  life.status = status
  life.queued = false
  life.deathsMs = []
}

const saidBy = (room: Service): ReadonlyArray<string> =>
  room.answers.map((it) => (it._tag === "Refuse" ? it.code : it._tag))

const wake = (luck: ReadonlyArray<Luck>): Told => {
  const outcome = luck.find((one) => one !== "full") ?? "runs"
  let answered = ""
  return command(
    `wake(${luck.join(" ")})`,
    (life) => {
      answered = life.queued ? "E_TENANT_WAKING" : "Answer"
      if (life.queued || life.status === "awake") return
      life.epoch++
      if (outcome === "runs") {
        life.status = "awake"
        return
      }
      answered = outcome === "fails" ? "E_ROOM_CRASHED" : "E_TENANT_WAKING"
      if (life.status !== "absent") rest(life, outcome === "fails" ? "closed" : "asleep")
    },
    (room) => {
      room.happens(RoomEvent.WakeAsked({ type: "arena", kind, wall: null, create: true }), luck)
      expect(saidBy(room)).toEqual([answered])
    }
  )
}

const die = (luck: ReadonlyArray<Luck>): Told => {
  let closed: Array<string> = []
  return command(
    `die(${luck.join(" ")})`,
    (life) => {
      // The server must release an incarnation that the room has given up.
      closed = life.status === "awake" && !life.queued ? [] : ["restarting"]
      // No other process starts before the restore.
      if (life.status === "awake" && life.queued) life.status = "asleep"
      if (life.status !== "awake") return
      const left = [...luck]
      for (;;) {
        life.deathsMs.push(life.nowMs)
        if (life.deathsMs.filter((atMs) => atMs > life.nowMs - 60_000).length >= 3) {
          closed = ["crashed"]
          return rest(life, "closed")
        }
        life.epoch++
        const next = left.shift() ?? "runs"
        if (next === "runs") return
        if (next === "fails") continue
        closed = ["restarting"]
        return rest(life, "asleep")
      }
    },
    (room, { epoch, nowMs }) => {
      room.happens(RoomEvent.ProcessExited({ epoch, serverIndex: 0, nowMs }), luck)
      expect(room.closed).toEqual(closed)
    }
  )
}

const putAway = (clientsBack: boolean): Told =>
  command(
    `putAway(${clientsBack ? "clients are back" : "empty"})`,
    (life) => {
      if (life.status === "awake" && !life.queued && !clientsBack) rest(life, "asleep")
    },
    (room, { epoch }) => {
      room.clientsBack = clientsBack
      room.happens(RoomEvent.DrainAsked({ epoch, serverIndex: 0, reason: "empty" }))
    }
  )

/** News of an incarnation that is gone: it may come at any time and moves nothing. */
const oldNews = (older: number): Told =>
  command(
    `oldNews(${older})`,
    () => {},
    (room, { epoch: current, nowMs }) => {
      const epoch = current - older
      const { state } = room
      room.happens(RoomEvent.ProcessExited({ epoch, serverIndex: 0, nowMs }))
      room.happens(RoomEvent.DrainAsked({ epoch, serverIndex: 0, reason: "empty" }))
      room.happens(RoomEvent.Drained({ epoch, clientsBack: false, entered: true }))
      room.happens(RoomEvent.StartFailed({ epoch, nowMs, message: "boom" }))
      expect(room.state).toBe(state)
    }
  )

const wait = (ms: number): Told =>
  command(
    `wait(${ms})`,
    (life) => {
      life.nowMs += ms
    },
    (room) => {
      room.nowMs += ms
    }
  )

/** The actor is loaded again; what it remembers of an awake room is true only if a server says so. */
const reload = (held: boolean): Told =>
  command(
    `reload(${held ? "held" : "lost"})`,
    (life) => {
      if (life.status === "awake" && !life.queued && !held) rest(life, "asleep")
    },
    (room) => room.happens(RoomEvent.Revived({ held }))
  )

const remove = (how: { readonly force: boolean; readonly reachable: boolean }): Told => {
  let answered = ""
  let closed: ReadonlyArray<string> = []
  const tell = (life: Life): string => {
    if (life.status === "absent") return "E_ROOM_NOT_FOUND"
    if (life.status === "awake") {
      if (!how.force) return "E_ROOM_IN_USE"
      if (life.queued) return "E_TENANT_WAKING"
      if (!how.reachable) return "E_EVICT_FAILED"
      closed = ["deleted"]
    }
    life.epoch++
    rest(life, "absent")
    return "AnswerDeleted"
  }
  return command(
    `remove(${how.force ? "force" : ""} ${how.reachable ? "" : "unreachable"})`,
    (life) => {
      closed = []
      answered = tell(life)
    },
    (room) => {
      room.reachable = how.reachable
      room.happens(RoomEvent.DeleteAsked({ force: how.force, relay: false }))
      expect(saidBy(room)).toEqual([answered])
      expect(room.closed).toEqual(closed)
    }
  )
}

const sweep = (lapsed: boolean): Told =>
  command(
    `sweep(${lapsed ? "lapsed" : "kept"})`,
    (life) => {
      if (!lapsed || life.queued || life.status === "absent" || life.status === "awake") return
      life.epoch++
      rest(life, "absent")
    },
    (room) => room.happens(RoomEvent.SweepAsked({ nowMs: 9, deletesAtMs: lapsed ? 9 : 10 }))
  )

const publish = (started: boolean): Told => {
  let answered = ""
  return command(
    `publish(${started ? "started" : ""})`,
    (life) => {
      answered = started ? "E_ROOM_STARTED" : "AnswerDone"
      if (life.status === "absent") answered = "E_ROOM_NOT_FOUND"
    },
    (room) => {
      room.started = started
      room.happens(RoomEvent.SetAsked({ settings: { public: true }, started, inert: false }))
      expect(saidBy(room)).toEqual([answered])
    }
  )
}

const restore = (): Told =>
  command(
    "restore",
    (life) => {
      if (life.status !== "absent") life.queued = true
    },
    (room, { status }) => {
      room.happens(RoomEvent.RestoreAsked({ save: { version: 1, saveId: "sv_1" } }))
      expect(saidBy(room)).toEqual([status === "absent" ? "E_ROOM_NOT_FOUND" : "AnswerDone"])
    }
  )

const restoreDue = (): Told =>
  command(
    "restoreDue",
    (life) => {
      if (!life.queued) return
      life.epoch++
      rest(life, "asleep")
    },
    (room, { queued, status }) => {
      room.happens(RoomEvent.RestoreDue())
      expect(room.closed).toEqual(queued && status === "awake" ? ["restarting"] : [])
    }
  )

const luck = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Luck>("runs") },
    fc.constantFrom<Luck>("full", "near", "closing", "fails")
  ),
  { maxLength: 4 }
)

test("[D-14] a room agrees with its model after any faults of its servers", () => {
  const commands = fc.commands(
    [
      luck.map(wake),
      luck.map(die),
      luck.map(die),
      fc.boolean().map(putAway),
      fc.integer({ min: 1, max: 5 }).map(oldNews),
      fc.oneof(fc.nat(70_000), fc.constantFrom(29_999, 30_000, 59_999, 60_000)).map(wait),
      fc.boolean().map(reload),
      fc.record({ force: fc.boolean(), reachable: fc.boolean() }).map(remove),
      fc.boolean().map(sweep),
      fc.boolean().map(publish),
      fc.constant(0).map(restore),
      fc.constant(0).map(restoreDue)
    ],
    { maxCommands: 60 }
  )
  fc.assert(
    fc.property(commands, (told) => {
      fc.modelRun(
        () => ({
          model: { status: "absent" as const, queued: false, epoch: 0, deathsMs: [], nowMs: 0 },
          real: new Service()
        }),
        told
      )
    }),
    { numRuns: 300 }
  )
})
