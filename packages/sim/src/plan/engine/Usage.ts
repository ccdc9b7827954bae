import { KiB, MinuteMs, SecondMs } from "@atrium/wire/limits/Limit"

import type { Calibration } from "../../calibration/Calibration.ts"
import { messageUs } from "../../calibration/MessageCost.ts"
import type { Scenario } from "../../scenario/Scenario.ts"
import type { Column } from "./Minutes.ts"
import { snapshotsPerHour } from "./SnapshotPace.ts"

/**
 * What rooms and players use while they do nothing new. Messages, patches, ticks and snapshots are no
 * events of their own: they are speeds, which follow from how many players each room has.
 */
export class Usage {
  readonly #scenario: Scenario
  readonly #calibration: Calibration
  /** Snapshots in a millisecond of a room with so many players. */
  readonly #pace: Array<number> = [0]
  roomsAwake = 0
  sockets = 0
  talking = 0
  /** Of the rooms that are awake those that a fault keeps up. */
  runaways = 0
  storedBytes = 0
  /** The sum of the squares of the players of each room: in a room without ticks everybody hears everybody. */
  #squares = 0
  #snapshotsPerMs = 0

  /** Sums over all time. */
  roomMs = 0
  runawayMs = 0
  voiceMs = 0
  dataOutBytes = 0

  /** Sums of this minute. */
  #roomMs = 0
  #socketMs = 0
  #patches = 0
  #snapshots = 0
  #welcomeBytes = 0
  #joins = 0
  #joinsAwake = 0
  #starts = 0
  #fresh = 0

  constructor(scenario: Scenario, calibration: Calibration) {
    this.#scenario = scenario
    this.#calibration = calibration
  }

  /** Patches to players in a millisecond. */
  get #patchesPerMs(): number {
    const { tickHz, up } = this.#scenario.game
    return (tickHz > 0 ? this.sockets * tickHz : this.#squares * up.hz) / SecondMs
  }

  get #bytesPerPatch(): number {
    return this.#scenario.game.patchBytes + this.#calibration.wire.perPatchBytes
  }

  get dataOutPerMs(): number {
    return this.#patchesPerMs * this.#bytesPerPatch
  }

  advance(forMs: number): void {
    this.roomMs += this.roomsAwake * forMs
    this.#roomMs += this.roomsAwake * forMs
    this.runawayMs += this.runaways * forMs
    this.voiceMs += this.talking * forMs
    this.#socketMs += this.sockets * forMs
    const patches = this.#patchesPerMs * forMs
    this.#patches += patches
    this.dataOutBytes += patches * this.#bytesPerPatch
    this.#snapshots += this.#snapshotsPerMs * forMs
  }

  /** A room has had `from` players and has `to` now. */
  players(from: number, to: number): void {
    this.sockets += to - from
    this.#squares += to * to - from * from
    this.#snapshotsPerMs += this.#paceOf(to) - this.#paceOf(from)
  }

  /** @param fresh the room was none before */
  started(fresh: boolean, rooms = 1): void {
    this.#starts += rooms
    if (fresh) this.#fresh += rooms
  }

  /** @param awake the room was up before */
  joined(awake: boolean): void {
    this.#joins += 1
    if (awake) this.#joinsAwake += 1
    const bytes = this.#scenario.game.stateBytes + this.#calibration.wire.perWelcomeBytes
    this.#welcomeBytes += bytes
    this.dataOutBytes += bytes
  }

  /** Rooms have stored their last state and sleep. */
  slept(rooms = 1): void {
    this.#snapshots += rooms
  }

  /** The minute that ends, as means; the next one begins. Machines and their own use are not in it. */
  minute(): Record<Column, number> {
    const { cpu, memory, writes } = this.#calibration
    const { game } = this.#scenario
    const roomBytes = memory.roomWithCodeBytes + memory.statePerByte * game.stateBytes
    const [messageMs, otherMs] = [this.#messageMs(), this.#otherMs()]
    const seconds = MinuteMs / SecondMs
    const roomsAwake = this.#roomMs / MinuteMs
    const sockets = this.#socketMs / MinuteMs
    const durable = (sockets * game.durablePerPlayerHour) / 3600
    const minute = {
      roomsAwake,
      sockets,
      joinsPerSecond: this.#joins / seconds,
      startingJoinsPerSecond: (this.#joins - this.#joinsAwake) / seconds,
      wakesPerSecond: this.#starts / seconds,
      cpuCores: (messageMs + otherMs) / MinuteMs,
      serviceCores: (messageMs * cpu.serviceShare) / MinuteMs,
      memoryBytes: roomsAwake * roomBytes + sockets * memory.socketBytes,
      writesPerSecond:
        (this.#joins * writes.perJoin +
          this.#starts * writes.perWake +
          this.#snapshots * writes.perSnapshot) /
          seconds +
        durable * writes.perDurableCall,
      egressBytesPerSecond: (this.#patches * this.#bytesPerPatch + this.#welcomeBytes) / seconds
    }
    this.#roomMs = this.#socketMs = this.#patches = this.#snapshots = 0
    this.#welcomeBytes = this.#joins = this.#joinsAwake = this.#starts = this.#fresh = 0
    return minute
  }

  /** CPU of this minute's messages and patches, ms. */
  #messageMs(): number {
    const { cpu } = this.#calibration
    const { up } = this.#scenario.game
    const messages = (this.#socketMs / SecondMs) * up.hz
    const perRoomSecond = this.#roomMs === 0 ? 0 : (this.#socketMs / this.#roomMs) * up.hz
    const inUs = messageUs(cpu, perRoomSecond, up.bytes)
    const outUs = cpu.patchOutUs + (cpu.patchOutPerKbUs * this.#bytesPerPatch) / KiB
    return (messages * inUs + this.#patches * outUs) / 1000
  }

  /** CPU of this minute's joins, starts, ticks and snapshots, ms. */
  #otherMs(): number {
    const { cpu } = this.#calibration
    const { game } = this.#scenario
    const ticks = (this.#roomMs / SecondMs) * game.tickHz
    const snapshotMs = cpu.snapshotMs + (cpu.snapshotPerKbMs * game.stateBytes) / KiB
    return (
      this.#joinsAwake * cpu.joinAwakeMs +
      this.#fresh * cpu.joinNewRoomMs +
      (this.#starts - this.#fresh) * cpu.wakeMs +
      (ticks * cpu.tickUs) / 1000 +
      this.#snapshots * snapshotMs
    )
  }

  #paceOf(players: number): number {
    const known = this.#pace[players]
    if (known !== undefined) return known
    const { game } = this.#scenario
    const pace =
      snapshotsPerHour({
        changesHz: game.tickHz > 0 ? Number.POSITIVE_INFINITY : players * game.up.hz,
        durableCallsPerHour: players * game.durablePerPlayerHour
      }) /
      (3600 * SecondMs)
    this.#pace[players] = pace
    return pace
  }
}
