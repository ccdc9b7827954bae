import type { Machines } from "@atrium/actors/cluster/Machines"
import type { Place } from "@atrium/actors/servers/ServerMachine"

import { Coverage } from "./Coverage.ts"
import type { Parts } from "./Parts.ts"
import type { Timeline } from "./Timeline.ts"
import type { Trace } from "./Trace.ts"
import { Violation } from "./Violation.ts"
import type { Witness } from "./Witness.ts"

type WatchedMachines = (typeof Machines)["Service"]

interface Watching {
  readonly parts: Parts
  readonly timeline: Timeline
  readonly trace: Trace
  readonly witness: Witness
}

/** What a server's actor held when its memory was looked at last. */
export interface Sampled {
  readonly atMs: number
  readonly places: ReadonlyArray<Place>
}

/** Sees every step of every machine of a world. */
export class StepWatch {
  readonly coverage = new Coverage()
  /** By actor. One that lives is looked at every second. */
  readonly sampled = new Map<string, Sampled>()
  readonly #watching: Watching
  #violation: Violation | null = null

  constructor(watching: Watching) {
    this.#watching = watching
  }

  get violation(): Violation | null {
    return this.#violation
  }

  /** An actor that meets a violation would die of it: the world remembers and stops. */
  #checked(check: () => void): void {
    try {
      check()
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      this.#violation ??= error
      this.#watching.timeline.stopped = true
    }
  }

  /** The machines that the actors of a host step. */
  of(host: string): WatchedMachines {
    return {
      room: (room) => this.#room(host, room),
      server: (server) => this.#server(host, server),
      snapshot: this.#snapshot
    }
  }

  #room(host: string, room: string): ReturnType<WatchedMachines["room"]> {
    const { coverage } = this
    const { parts, trace, witness } = this.#watching
    const actor = `${host} ${room}`
    return (before, event) => {
      const taken = parts.stepRoom(before, event)
      const [after, actions] = taken
      trace.room(`${room} ${host}`, event, { before, after, actions })
      coverage.reached("room state", after._tag)
      coverage.reached("room event", event._tag)
      coverage.reached("room transition", `${before._tag} x ${event._tag}`)
      for (const action of actions) {
        coverage.reached("room action", action._tag)
        if (action._tag === "Refuse") coverage.reached("room refusal", action.code)
      }
      this.#checked(() => witness.roomStepped({ room, actor, before, event, after, actions }))
      return taken
    }
  }

  #server(host: string, server: string): ReturnType<WatchedMachines["server"]> {
    const { coverage } = this
    const { parts, timeline, trace, witness } = this.#watching
    const actor = `${server} on ${host}`
    return (before, event) => {
      const taken = parts.stepServer(before, event)
      const [after, actions] = taken
      coverage.reached("server event", event._tag)
      for (const action of actions) coverage.reached("server action", action._tag)
      if (event._tag === "MemorySampled")
        this.sampled.set(actor, { atMs: timeline.machineMs, places: after.places })
      else trace.server(`${server} ${host}`, event, actions)
      this.#checked(() => witness.serverStepped({ server: actor, before, event, after, actions }))
      return taken
    }
  }

  readonly #snapshot: WatchedMachines["snapshot"] = (before, event) => {
    const taken = this.#watching.parts.stepSnapshot(before, event)
    this.coverage.reached("snapshot event", event._tag)
    for (const action of taken[1]) {
      this.coverage.reached("snapshot action", action._tag)
      if (action._tag === "Request") this.coverage.reached("snapshot cause", action.cause)
    }
    return taken
  }
}
