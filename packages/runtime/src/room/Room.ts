import type { JsonValue } from "@atrium/wire/kv/KvFault"
import type { HiddenDefinition, HiddenOf } from "@atrium/wire/schema/HiddenState"
import type { ClientRpcsOf, MessagesOf, ServerRpcsOf, StateOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { PhysicsEngine } from "../physics/PhysicsEngine.ts"
import type { RoomPhysics } from "../physics/RoomPhysics.ts"
import type { MatchPlace, RoomClient } from "./RoomClient.ts"
import type { RoomReplay } from "./RoomReplay.ts"
import type { VisibleState } from "./Visibility.ts"

/** The clients of a room by session id, kept sessions of dropped clients included. */
export interface RoomClients<S extends AnyRoomSchema> extends Iterable<RoomClient<S>> {
  readonly size: number
  get(id: string): RoomClient<S> | undefined
  has(id: string): boolean
}

/**
 * Alarms: the service wakes the room for them, also out of hibernation. They outlive a crash and a deploy. `room.after` and
 * `room.every` set alarms, too.
 */
export interface RoomAlarms {
  /** Sets an alarm for Unix milliseconds of `room.clock`; a time that is past fires at once. */
  set(name: string, atMs: number): void
  /** Takes an alarm back. `false` when there was none of that name. */
  clear(name: string): boolean
}

/** Lines for the room's log. Values that are not text are shown as `console.log` shows them. */
export interface RoomLog {
  debug(...values: ReadonlyArray<unknown>): void
  info(...values: ReadonlyArray<unknown>): void
  warn(...values: ReadonlyArray<unknown>): void
  error(...values: ReadonlyArray<unknown>): void
}

/** The skill rating of a player in one queue. A player without a result has 1500 and 350. */
export interface PlayerRating {
  readonly player: string
  /** The strength: of two players 200 apart the better one wins about three games of four. */
  readonly rating: number
  /** How far the rating may be wrong, as a standard deviation: 30 to 350; it grows with idle time. */
  readonly deviation: number
}

/** What became of a result. */
export interface RatingReport {
  /** `false`: this room has reported the id before, and nothing has changed. */
  readonly counted: boolean
  /** Of the players of the result, in its order, as they are stored now. */
  readonly ratings: ReadonlyArray<PlayerRating>
}

/** Skill ratings (Glicko-1). Only room code writes them. Spec: Skill rating limits. */
export interface RoomRatings {
  /**
   * Moves the ratings of the players of one game; when it resolves they are stored. An id counts once
   * in this room within 24 hours, so a report that may have been made can be repeated.
   *
   * @param results 2 to 64 players, each once; place 1 to 64, 1 is the best, equal places are a draw
   * @param options `queue`: one that `service.json` declares, or `default`; left out = that of the room's
   * type (`queue` in its schema), else `default`
   * Errors: `RpcError` E_CALL_INVALID, E_RATING_QUEUE, E_RATINGS_FULL, E_CAP_REACHED, and those of every
   * in-room call: E_CALL_BUSY, E_CALL_RATE, E_CALL_TIMEOUT, E_CALL_FAILED.
   */
  report(
    results: ReadonlyArray<{ readonly player: string | RoomClient; readonly place: number }>,
    options: { readonly id: string; readonly queue?: string }
  ): Promise<RatingReport>
  /** The ratings of 1 to 64 players, in this order. Queue and errors: as `report`. */
  get(
    players: ReadonlyArray<string | RoomClient>,
    options?: { readonly queue?: string }
  ): Promise<ReadonlyArray<PlayerRating>>
}

/** Random numbers from the room's seed. Their place is part of the snapshot. */
export interface RoomRandom {
  /** A number from 0 up to and without 1. */
  (): number
  /** A whole number from 0 up to and without `n`; `n` is 1 to 2^32. */
  int(n: number): number
}

/** What a player has under a key. */
export interface KvItem {
  readonly value: JsonValue
  /** Another one after each write, and never the same again. */
  readonly version: number
}

/** Which entries a list has. */
export interface KvListOptions {
  /** The keys begin with this; all when left out. */
  readonly prefix?: string
  /** The list goes on after this key: `next` of the page before. */
  readonly after?: string
  /** 1 to 128, which is the default. */
  readonly limit?: number
}

/** A page of a player's entries, in the order of the bytes of their keys. A page has at most 128 KiB. */
export interface KvList {
  readonly entries: ReadonlyArray<KvItem & { readonly key: string }>
  /** The key to go on after; `null` = this was the last page. */
  readonly next: string | null
}

/**
 * What the service keeps of one player, for all rooms of the project: at most 128 keys of 1 to 256 bytes,
 * each with a value of at most 16 KiB of JSON. A call is answered once it is stored, and an entry is then
 * what each other room reads. Errors: `RpcError` E_KV_VALUE_TOO_LARGE, E_KV_KEY_TOO_LONG,
 * E_KV_PLAYER_ID_TOO_LONG, E_KV_KEYS_FULL, E_KV_ROWS_FULL, E_KV_RATE, E_CALL_INVALID, E_CAP_REACHED for
 * writes at the project's storage cap, and those of any in-room call: after E_CALL_TIMEOUT and
 * E_CALL_FAILED a write may have been stored.
 */
export interface PlayerKv {
  /** `null` = there is nothing under the key. */
  get(key: string): Promise<KvItem | null>
  /**
   * Writes an entry, in the place of the present one.
   *
   * @param value as `JSON.stringify` writes it; NaN and Infinity are refused
   * @returns its new version
   */
  set(key: string, value: JsonValue): Promise<number>
  /**
   * Writes an entry if it is the one that was read. Of two rooms that read the same one, one writes.
   *
   * @param version of the entry that was read; 0 = there was none
   * @returns its new version; `null` = another one is there, and nothing was written
   */
  compareAndSet(key: string, value: JsonValue, version: number): Promise<number | null>
  /** `false` when there was nothing under the key. */
  delete(key: string): Promise<boolean>
  list(options?: KvListOptions): Promise<KvList>
}

/** What became of a submitted score. */
export interface SubmitResult {
  /** The player's score as the board now has it, in this bucket and period; `null` = it has none. */
  readonly score: number | null
  /** Whether this submit changed it. */
  readonly changed: boolean
}

/** The project's leaderboards. Players read them by `@atrium/sdk/leaderboard`. */
export interface RoomLeaderboard {
  /**
   * Submits a score; resolves once it is stored. An `id` counts once for this room, board, bucket and
   * player, for 24 hours: give one where a crash of the room may repeat the submit. A board of mode
   * `sum` takes an id with each score. Errors: `RpcError` E_BOARD_UNKNOWN, E_BOARD_FULL,
   * E_SCORE_INVALID, E_CAP_REACHED at the project's storage cap, and those of every in-room call.
   * Source: D-34, D-52.
   *
   * @param score a whole number within the safe range
   * @param options `bucket` on a board that has buckets, and only there
   */
  // oxlint-disable-next-line max-params -- a board, a player and a score are no one thing.
  submit(
    board: string,
    player: string | RoomClient,
    score: number,
    options?: { readonly bucket?: string; readonly id?: string }
  ): Promise<SubmitResult>
}

/** Where a broadcast does not go. */
export interface BroadcastOptions<S extends AnyRoomSchema> {
  readonly except?: RoomClient<S> | ReadonlyArray<RoomClient<S>>
}

/**
 * A room, as its code sees it.
 *
 * `Date.now` and `Math.random` are the platform's: use {@link Room.clock} and {@link Room.random},
 * which follow the service's clock and come back from a snapshot as they were.
 */
export interface Room<S extends AnyRoomSchema = AnyRoomSchema, H extends HiddenDefinition = {}> {
  /** What clients join by. */
  readonly id: string
  /** The type of the room's schema. */
  readonly type: string
  /** The deployment that runs. */
  readonly version: number
  /**
   * The state that clients see, each of them as `visible` of the room says. Changes leave as one patch per tick, or
   * per event without ticks.
   */
  readonly state: StateOf<S>
  /** State that no client is told of, as `hidden` of the room declares it. */
  readonly hidden: HiddenOf<H>
  readonly views: ClientViews<S>
  readonly clients: RoomClients<S>
  /** Sends a message to one client; to a dropped client it is lost. Throws `FieldError`. */
  send<K extends string & keyof MessagesOf<S>>(
    client: RoomClient<S>,
    name: K,
    payload: MessagesOf<S>[K]
  ): void
  /** Sends a message to every connected client. Throws `FieldError`. */
  broadcast<K extends string & keyof MessagesOf<S>>(
    name: K,
    payload: MessagesOf<S>[K],
    options?: BroadcastOptions<S>
  ): void
  /**
   * Calls an RPC that the client handles. Errors: `RpcError` with the client's own code, or
   * E_RPC_TIMEOUT, E_CLIENT_GONE, E_RPC_BUSY, E_RPC_FAILED.
   */
  request<K extends string & keyof ServerRpcsOf<S>>(
    client: RoomClient<S>,
    name: K,
    args: ServerRpcsOf<S>[K]["args"],
    options?: { readonly timeoutMs?: number }
  ): Promise<ServerRpcsOf<S>[K]["returns"]>
  /** Sets an alarm `ms` from now: `onAlarm` gets its name. Setting it again moves it. */
  after(name: string, ms: number): void
  /**
   * Sets an alarm that goes off every `ms`, first `ms` from now. What the room slept through goes off once, and the next
   * one keeps its place in the row. The same name and period again change nothing, so that each start may say it.
   * @param ms at least 100; a room that sleeps is woken each time
   */
  every(name: string, ms: number): void
  /** Wakes the room at a time of its own. */
  readonly alarm: RoomAlarms
  /**
   * Resolves once the state as of now is stored. Errors: `RpcError` E_NOT_STORED, E_SAVE_BUSY, and
   * E_CAP_REACHED at the project's storage cap: the state is stored then, but no save is added.
   */
  save(): Promise<void>
  /** What the service keeps of a player. @param player a client of the room, or the id of any player */
  kv(player: string | RoomClient<S>): PlayerKv
  readonly log: RoomLog
  /** What the project's open list of rooms (`GET /v1/lobby`) shows of this one. */
  readonly lobby: RoomLobby
  /** Who hears whom in the room's voice call. */
  readonly voice: RoomVoice<S>
  readonly ratings: RoomRatings
  readonly leaderboard: RoomLeaderboard
  /** Clips, recordings and excerpts of the room. */
  readonly replay: RoomReplay
  /** The bodies of the room as they were: for a type that declares `physics`. */
  readonly physics: RoomPhysics<S>
  /** The service's clock, Unix milliseconds. */
  readonly clock: { nowMs(): number }
  /** Random numbers that come back from a snapshot as they were. */
  readonly random: RoomRandom
}

/** One voice group, or several. A name has 1 to 32 bytes. */
export type VoiceGroupNames = string | ReadonlyArray<string>

/** The voice call of a room whose schema declares `voice`. */
export interface RoomVoice<S extends AnyRoomSchema = AnyRoomSchema> {
  /**
   * Says to which groups a client speaks, and which it hears: at most 8 of each, the same ones unless both are
   * named. Clients without groups hear each other, and nobody else. Groups come back with the room from its
   * stored state, and end with the client's session.
   *
   * Throws `Error` where the schema declares no voice, `TypeError` and `RangeError` for names that are none.
   *
   * @param groups `null` takes the client's groups away
   */
  groups(
    client: RoomClient<S>,
    groups:
      | VoiceGroupNames
      | { readonly speaks: VoiceGroupNames; readonly hears: VoiceGroupNames }
      | null
  ): void
}

/** What each client sees of the state. */
export interface ClientViews<S extends AnyRoomSchema = AnyRoomSchema> {
  /**
   * Asks the rules of `visible` again: all of them, those about one client, or those about one record. What a rule
   * reads of its arguments asks it again by itself; call this when something else has changed that it reads.
   */
  refresh(of?: RoomClient<S> | { toJSON(): unknown }): void
}

/** What the open list of rooms shows of a room. It stays while the room sleeps. */
export interface RoomLobby {
  /** Whether the list shows the room. Once its game has started, nothing but room code changes that. */
  setPublic(isPublic: boolean): void
  /** Whether the room's game has started. */
  setStarted(started: boolean): void
  /**
   * Shows JSON with the room, such as its map and mode; `null` takes it away. Changes are stored together: the
   * list may show a value some seconds later. Throws `TypeError` for what is no JSON, `RangeError` for more
   * than 1 KiB of it.
   */
  setMetadata(value: unknown): void
  /**
   * Asks quick match for so many players more, 0 to 64; 0 = none. Resolves when that is stored: then matches of the
   * queue of this type send players here before they make a room, as long as the room has free places.
   * Errors: `RpcError` E_CALL_RATE, E_CALL_INVALID, and those of every in-room call.
   */
  setBackfill(wanted: { readonly seats: number }): Promise<void>
}

/** The client that asks to join. */
export interface JoinAttempt {
  readonly playerId: string
  readonly name: string | null
  readonly role: string
  /** The place that quick match gave the player; `null` = it joins without a ticket of a match. */
  readonly match: MatchPlace | null
  /** What the client sent with its join: any value, not checked. */
  readonly options: unknown
}

type Answer<T> = T | Promise<T>

type MessageHandlers<S extends AnyRoomSchema, H extends HiddenDefinition> = {
  readonly [K in keyof MessagesOf<S>]?: (
    room: Room<S, H>,
    client: RoomClient<S>,
    payload: MessagesOf<S>[K]
  ) => Answer<void>
} & {
  /** Gets every message that has no handler of its own. */
  // oxlint-disable-next-line max-params -- as the other handlers, and the name before the payload.
  readonly "*"?: (
    room: Room<S, H>,
    client: RoomClient<S>,
    name: string,
    payload: unknown
  ) => Answer<void>
}

/** An answer without required fields may be left out. */
type Returns<R> = {} extends R ? R | void : R

type RpcHandlers<S extends AnyRoomSchema, H extends HiddenDefinition> = {
  readonly [K in keyof ClientRpcsOf<S>]: (
    room: Room<S, H>,
    client: RoomClient<S>,
    args: ClientRpcsOf<S>[K]["args"]
  ) => Answer<Returns<ClientRpcsOf<S>[K]["returns"]>>
}

/**
 * What a room type does. Hooks run one at a time. A throw in `onCreate` ends the room; in any other
 * hook it is logged and the room goes on. A hook that returns a promise is not waited for, except
 * `onAuth` and RPC handlers.
 */
export interface RoomHandlers<S extends AnyRoomSchema, H extends HiddenDefinition = {}> {
  /** State that is stored with the room and that no client is told of: its names do not leave the room's code. */
  readonly hidden?: H
  /** Who sees what of the state; what is left out all clients see. Its rules do not leave the room's code. */
  readonly visible?: VisibleState<S, H>
  /** The physics world, where the schema declares `physics`: what `physics` of `@atrium/sdk/physics` makes. */
  readonly physics?: PhysicsEngine
  /**
   * Rooms of this type share processes, up to 20 in each, with a module instance for each room: cheaper, and one
   * that fails takes the others back to their stored states. Standard rooms without physics only; absent = `false`.
   */
  readonly sharing?: boolean
  /** Admits (`true`) or refuses (`false`, a reason, a throw) a fresh join. Absent = admits all. */
  onAuth?(room: Room<S, H>, attempt: JoinAttempt): Answer<boolean | string>
  /** Runs once in the life of a room's state: not after a restart or a hibernation. */
  onCreate?(room: Room<S, H>): Answer<void>
  /** Runs before the client's welcome: what it changes is in the state that the client gets. */
  onJoin?(room: Room<S, H>, client: RoomClient<S>): Answer<void>
  /** The connection was lost; the session is kept for the type's `reconnectForMs`. */
  onDrop?(room: Room<S, H>, client: RoomClient<S>): Answer<void>
  /** The client is back within that time. Always after an onDrop. */
  onReconnect?(room: Room<S, H>, client: RoomClient<S>): Answer<void>
  /** The session is over. The client is no longer among `room.clients`. */
  onLeave?(
    room: Room<S, H>,
    client: RoomClient<S>,
    how: { readonly consented: boolean }
  ): Answer<void>
  /** Handlers by message; `"*"` gets the messages that have none, their name before the payload. */
  readonly onMessage?: MessageHandlers<S, H>
  /** A handler for each RPC of the schema's `rpc.client`. What it returns is the answer. */
  readonly rpc?: RpcHandlers<S, H>
  /** `dtMs` is always one tick's length; `tick` counts from 1 over the life of the state. */
  onTick?(room: Room<S, H>, step: { readonly dtMs: number; readonly tick: number }): Answer<void>
  /** An alarm of `room.after`, `room.every` or `room.alarm.set` goes off; the room was woken for it if it slept. */
  onAlarm?(room: Room<S, H>, name: string): Answer<void>
  /** Runs before the last snapshot of an awake room. Only what it does at once is stored. */
  onDispose?(room: Room<S, H>): Answer<void>
}
