import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { ClientRoom } from "../client/ClientRoom.ts"
import type { Unsubscribe } from "../client/Listeners.ts"

/** Where a component stands with its room. */
export type RoomStatus<S extends AnyRoomSchema> =
  | { readonly status: "joining"; readonly room: null }
  /** The join was refused, or failed. */
  | { readonly status: "failed"; readonly room: null; readonly error: unknown }
  | { readonly status: "joined"; readonly room: ClientRoom<S> }
  /** The connection is lost, and the client tries to come back. */
  | { readonly status: "away"; readonly room: ClientRoom<S> }
  /** The end: with a close code as of `onLeave`. */
  | {
      readonly status: "left"
      readonly room: ClientRoom<S>
      readonly code: number
      readonly reason: string
    }

const joining = { status: "joining", room: null } as const

/** The stay in a room, from a component's first subscription to its last: for `useSyncExternalStore`. */
export class RoomStay<S extends AnyRoomSchema> {
  readonly #join: () => Promise<ClientRoom<S>>
  #now: RoomStatus<S> = joining

  constructor(join: () => Promise<ClientRoom<S>>) {
    this.#join = join
  }

  readonly get = (): RoomStatus<S> => this.#now

  readonly subscribe = (notify: () => void): Unsubscribe => {
    let wanted = true
    let leave = (): void => {}
    const tell = (now: RoomStatus<S>): void => {
      if (!wanted) return
      this.#now = now
      notify()
    }
    const enter = (room: ClientRoom<S>): void => {
      leave = () => void room.leave()
      if (!wanted) return leave()
      room.onDrop(() => tell({ status: "away", room }))
      room.onReconnect(() => tell({ status: "joined", room }))
      room.onLeave((code, reason) => tell({ status: "left", room, code, reason }))
      tell({ status: room.connected ? "joined" : "away", room })
    }
    // React's StrictMode ends the first subscription at once and begins another: that one alone joins.
    void Promise.resolve()
      .then(() => (wanted ? this.#join() : null))
      .then(
        (room) => room !== null && enter(room),
        (error: unknown) => tell({ status: "failed", room: null, error })
      )
    return () => {
      wanted = false
      this.#now = joining
      leave()
    }
  }
}
