import { Clock, Context, Effect, Layer } from "effect"

/** The rows of all tables of one database in memory. Several runners can share it. */
export class MemoryTables {
  readonly #last = new Map<string, number>()

  /** The next number of a sequence; the first is 1. */
  next(sequence: "rooms.epoch" | "audit.id" | "mails.id" | "kv.version"): number {
    const number = (this.#last.get(sequence) ?? 0) + 1
    this.#last.set(sequence, number)
    return number
  }
}

/** A table: its rows by key, in each {@link MemoryTables} its own. The noun's own file declares it. */
export class MemoryTable<Row> {
  readonly #rows = new WeakMap<MemoryTables, Map<string, Row>>()

  rowsIn(tables: MemoryTables): Map<string, Row> {
    const known = this.#rows.get(tables)
    if (known !== undefined) return known
    const rows = new Map<string, Row>()
    this.#rows.set(tables, rows)
    return rows
  }

  /** @param projectOf whose a row is that may go with its project; `null` = it stays for now */
  removal(projectOf: (row: Row, key: string) => string | null): MemoryRemoval {
    return (tables, { projectId, most }) => {
      const rows = this.rowsIn(tables)
      const gone = [...rows].filter(([key, row]) => projectOf(row, key) === projectId)
      for (const [key] of gone.slice(0, most)) rows.delete(key)
      return Math.min(gone.length, most)
    }
  }

  /** @param storedOf whose storage a row is, and how many bytes */
  sizes(storedOf: (row: Row, key: string) => StoredSize): MemorySizes {
    return (tables) => Array.from(this.rowsIn(tables), ([key, row]) => storedOf(row, key))
  }

  /** @param read what a row is to the database: whose, under which key, and its columns */
  playerRows(read: MemoryPlayerRow<Row>): MemoryPlayerRows {
    const those = (tables: MemoryTables, { projectId, playerId }: PlayerKey) =>
      [...this.rowsIn(tables)].filter(([key, row]) => {
        const player = read.player(row, key)
        return player.playerId === playerId && player.projectId === projectId
      })
    return {
      columns: (tables, player) =>
        those(tables, player).map(([key, row]) => read.columns(row, key)),
      erase: (tables, player) => {
        const gone = those(tables, player)
        for (const [key] of gone) this.rowsIn(tables).delete(key)
        return gone.length
      },
      move: (tables, player, playerId) => {
        const moved = those(tables, player)
        for (const [key, row] of moved) {
          this.rowsIn(tables).delete(key)
          const [newKey, newRow] = read.moved(row, { key, playerId })
          this.rowsIn(tables).set(newKey, newRow)
        }
        return moved.length
      }
    }
  }
}

/** A player of a project. */
export interface PlayerKey {
  readonly projectId: string
  readonly playerId: string
}

/** How rows in memory are read as those of players. */
export interface MemoryPlayerRow<Row> {
  readonly player: (row: Row, key: string) => PlayerKey
  /** By the names of the columns in PostgreSQL. */
  readonly columns: (row: Row, key: string) => Readonly<Record<string, unknown>>
  /** The row and its key under another player id; only rows that stay are moved. */
  readonly moved: (
    row: Row,
    to: { readonly key: string; readonly playerId: string }
  ) => readonly [string, Row]
}

/** What a table in memory has of a player. */
export interface MemoryPlayerRows {
  readonly columns: (
    tables: MemoryTables,
    player: PlayerKey
  ) => ReadonlyArray<Readonly<Record<string, unknown>>>
  /** @returns how many rows went */
  readonly erase: (tables: MemoryTables, player: PlayerKey) => number
  /** @returns how many rows have another player id now */
  readonly move: (tables: MemoryTables, player: PlayerKey, playerId: string) => number
}

/** What one row counts as its project's storage. */
export interface StoredSize {
  readonly projectId: string
  readonly bytes: number
}

/** What each row of a table counts as its project's storage. */
export type MemorySizes = (tables: MemoryTables) => ReadonlyArray<StoredSize>

/** Removes a bounded part of what a table has of a project. @returns how many rows went */
export type MemoryRemoval = (
  tables: MemoryTables,
  part: { readonly projectId: string; readonly most: number }
) => number

/**
 * The database of the stores' memory layers. A store asks it once per query or transaction. The
 * simulation provides its own, which delays a query, loses its answer, or dies of an `SqlError`.
 */
export class MemoryDatabase extends Context.Service<
  MemoryDatabase,
  {
    readonly tables: MemoryTables
    /**
     * Runs one transaction. It is synchronous, so that it sees and leaves no half of another one; it
     * changes rows only after all that can throw.
     * @param name of the store and its method, for traces
     */
    readonly ask: <A>(name: string, transaction: () => A) => Effect.Effect<A>
  }
>()("@atrium/actors/store/MemoryDatabase") {
  /** A database of its own, which always answers at once. */
  static readonly layer = Layer.sync(MemoryDatabase, () => ({
    tables: new MemoryTables(),
    ask: (_name, transaction) => Effect.sync(transaction)
  }))
}

/** Asks with the moment of the question. */
export const atNow =
  ({ ask }: Pick<MemoryDatabase["Service"], "ask">) =>
  <A>(name: string, transaction: (nowMs: number) => A): Effect.Effect<A> =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => ask(name, () => transaction(nowMs)))

/** The order of `collate "C"` for texts of ASCII, such as ids. */
export const byText = (one: string, other: string): number =>
  one < other ? -1 : one > other ? 1 : 0
