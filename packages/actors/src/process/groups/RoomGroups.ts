import type { Exit } from "../ExitCause.ts"
import type { HostSettings } from "../HostSettings.ts"
import type { Child, ChildOwner } from "../RoomChild.ts"
import { RoomHost } from "../RoomHost.ts"
import type { SharedNeeds } from "../RoomNeeds.ts"
import {
  type GroupAction,
  GroupEvent,
  type GroupPace,
  type Groups,
  groupStep,
  noGroups
} from "./GroupMachine.ts"
import { SharedProcess } from "./SharedProcess.ts"

/** A process to be started for rooms that share it. */
interface SharedLaunch {
  open(owner: ChildOwner): Child
  readonly settings: HostSettings
}

interface GroupsParts {
  readonly pace: GroupPace
  /** @param isDev the rooms are of the project `dev` */
  launch(isDev: boolean): SharedLaunch
  /** The host of a room has ended. */
  hostEnded(host: RoomHost, exit: Exit): void
  /** A process has ended. */
  processEnded(): void
}

/** A room that asks for a place. */
export interface SharingRoom {
  readonly bundle: Uint8Array
  readonly isDev: boolean
  readonly shares: SharedNeeds
}

/** Performs what the machine of shared processes decides. */
export class RoomGroups {
  readonly #parts: GroupsParts
  readonly #processes = new Map<number, SharedProcess>()
  #state: Groups = noGroups
  #members = 0
  #atPolls = 0

  constructor(parts: GroupsParts) {
    this.#parts = parts
  }

  /** Processes that are there, also such as are ending. */
  get size(): number {
    return this.#processes.size
  }

  /** A place in a process for a room; `null` = the room is to have a process of its own. */
  take({ bundle, isDev, shares }: SharingRoom): RoomHost | null {
    const member = ++this.#members
    const asked = { member, ...shares, atPolls: this.#atPolls }
    let host: RoomHost | null = null
    for (const action of this.#step(GroupEvent.RoomAsked(asked))) {
      if (action._tag === "StartGroup") this.#start(action.group, { bundle, isDev })
      else if (action._tag === "Enter") host = this.#enter(action)
      else this.#perform(action)
    }
    return host
  }

  /** Called every `PollEveryMs`, before the hosts of the rooms. */
  poll(loaded: boolean): void {
    this.#atPolls++
    for (const process of this.#processes.values()) process.poll(loaded)
    this.#happens(GroupEvent.Polled({ atPolls: this.#atPolls }))
  }

  /** Ends all processes. */
  close(): void {
    const exit: Exit = { cause: "stopped", detail: "ended by the service" }
    for (const process of this.#processes.values()) process.end(exit, false)
  }

  #step(event: GroupEvent): ReadonlyArray<GroupAction> {
    const [state, actions] = groupStep(this.#state, event, this.#parts.pace)
    this.#state = state
    return actions
  }

  #happens(event: GroupEvent, exit?: Exit): void {
    for (const action of this.#step(event)) this.#perform(action, exit)
  }

  #perform(action: GroupAction, exit: Exit = idle): void {
    switch (action._tag) {
      case "Resize":
        return this.#processes.get(action.group)?.resize(action.rooms)
      case "EndGroup":
        return this.#processes.get(action.group)?.end(exit, action.counts)
      // Parts of the answer to a room that asks.
      case "RunAlone":
      case "StartGroup":
      case "Enter":
    }
  }

  #start(group: number, { bundle, isDev }: Pick<SharingRoom, "bundle" | "isDev">): void {
    const { open, settings } = this.#parts.launch(isDev)
    const process = new SharedProcess(open, bundle, {
      settings,
      listener: {
        failed: (exit) =>
          this.#happens(GroupEvent.GroupFailed({ group, atPolls: this.#atPolls }), exit),
        left: (member) =>
          this.#happens(GroupEvent.RoomLeft({ group, member, atPolls: this.#atPolls })),
        ended: () => {
          this.#processes.delete(group)
          this.#parts.processEnded()
        }
      }
    })
    this.#processes.set(group, process)
  }

  #enter({ group, member }: Extract<GroupAction, { readonly _tag: "Enter" }>): RoomHost | null {
    const process = this.#processes.get(group)
    if (process === undefined) return null
    return new RoomHost(
      (owner) => process.enter(member, owner),
      process.roomSettings,
      (host, exit) => this.#parts.hostEnded(host, exit)
    )
  }
}

/** A process without rooms is not waited with any longer. */
const idle: Exit = { cause: "stopped", detail: "no room has come" }
