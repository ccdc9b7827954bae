import type { RoomState } from "@atrium/wire/codec/RoomState"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import type { Viewer } from "@atrium/wire/views/Asker"
import { StateViews } from "@atrium/wire/views/StateViews"

import type { RoomClient } from "./RoomClient.ts"
import type { Session } from "./Session.ts"
import type { RoomRules } from "./Visibility.ts"

interface Seen {
  readonly session: Session
  /** The connection that got the welcome: another one gets its own. */
  readonly ref: number
  /** Patches that this client has been sent, or one that sees the same: nothing of what others see is counted. */
  tick: number
}

/** One patch for those who see the same of what changed. */
export interface ViewPatch {
  readonly refs: ReadonlyArray<number>
  readonly tick: number
  readonly delta: Uint8Array
}

interface ViewPatches {
  readonly patches: ReadonlyArray<ViewPatch>
  /** What changed for a stranger; `null` = nothing, or none looks on. */
  readonly stranger: Uint8Array | null
}

interface ViewPorts {
  failed(rule: string, error: unknown): void
  /** Grows when a persisted field of a player is read. */
  playerReads(): number
  /** Something may be due that is no change of the state. */
  touch(): void
}

/** What each connected client of a room sees, by the room's rules. */
export class RoomViews {
  readonly #views: StateViews<RoomClient>
  readonly #ports: ViewPorts
  readonly #seen = new Map<Viewer<RoomClient>, Seen>()
  /** A viewer that every rule refuses, made at its first use: replays record the view of this viewer. */
  #stranger: Viewer<RoomClient> | null = null
  #strangersTick = 0

  constructor(state: RoomState<AnyRoomSchema>, rules: RoomRules, ports: ViewPorts) {
    this.#ports = ports
    this.#views = new StateViews<RoomClient>(state, rules, {
      failed: (rule, error) => ports.failed(rule, error),
      viewerReads: () => ports.playerReads()
    })
  }

  /** Whether clients may have to be told something although the state did not change. */
  get due(): boolean {
    return this.#views.due
  }

  /** What a client's welcome says. Nothing may be pending. */
  welcome(session: Session, ref: number): { readonly tick: number; readonly state: Uint8Array } {
    this.#forget()
    const viewer = this.#views.enter(session.client)
    const twin = this.#views.twinOf(viewer)
    const tick = twin === undefined ? 0 : (this.#seen.get(twin)?.tick ?? 0)
    this.#seen.set(viewer, { session, ref, tick })
    return { tick, state: this.#views.encodeFull(viewer) }
  }

  /** The patches that a stranger has been told. */
  get strangersTick(): number {
    return this.#strangersTick
  }

  /** All that a stranger sees. Nothing may be pending. */
  encodeStranger(): Uint8Array {
    this.#stranger ??= this.#views.enter(null)
    return this.#views.encodeFull(this.#stranger)
  }

  /** The patches for what changed since the last call; nothing is pending afterwards. */
  patches(): ViewPatches {
    this.#forget()
    let stranger: Uint8Array | null = null
    const patches = this.#views.flush().flatMap(({ viewers, delta }) => {
      if (this.#stranger !== null && viewers.includes(this.#stranger)) stranger = delta
      const byTick = new Map<number, Array<number>>()
      for (const viewer of viewers) {
        const seen = this.#seen.get(viewer)
        // A rule may have made its client leave.
        if (seen === undefined || seen.session.ref !== seen.ref) continue
        seen.tick += 1
        const refs = byTick.get(seen.tick) ?? []
        byTick.set(seen.tick, refs)
        refs.push(seen.ref)
      }
      return [...byTick].map(([tick, refs]) => ({ refs, tick, delta }))
    })
    if (stranger !== null) this.#strangersTick += 1
    return { patches, stranger }
  }

  /** Asks the rules again that read persisted fields of the player. */
  playerChanged(playerId: string): void {
    for (const [viewer, { session }] of this.#seen) {
      if (session.identity.playerId === playerId) this.#views.viewerChanged(viewer)
    }
  }

  /**
   * Asks the rules again: all of them, those about one client, or those about one record. A client that is not
   * connected sees nothing now, and its welcome asks all rules.
   */
  refresh(of: object | undefined): void {
    if (of === undefined) this.#views.refresh()
    else if (!this.#views.refreshRecord(of)) this.#refreshClient(of)
    this.#ports.touch()
  }

  #refreshClient(of: object): void {
    for (const [viewer, { session }] of this.#seen) {
      if (session.client === of) this.#views.refreshViewer(viewer)
    }
  }

  /** Clients that are gone, or back on another connection, see nothing until their next welcome. */
  #forget(): void {
    for (const [viewer, { session, ref }] of this.#seen) {
      if (session.ref === ref) continue
      this.#views.leave(viewer)
      this.#seen.delete(viewer)
    }
  }
}
