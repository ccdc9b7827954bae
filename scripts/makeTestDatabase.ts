import { inject } from "vitest"

import type { DatabaseContent } from "./databaseContents.ts"

/** A database of its own for one test or one file. */
export interface TestDatabase {
  /** For PgClient, or as the DATABASE_URL of a service that the test spawns. */
  readonly url: string
  /** Drops it, even with connections open. A database that is not dropped goes at the end of the run. */
  readonly drop: () => Promise<void>
}

const ask = async (method: string, name: string): Promise<string> => {
  const response = await fetch(`${inject("testDatabases")}?${name}`, { method })
  const text = await response.text()
  if (!response.ok) throw new Error(`No test database: ${text}`)
  return text
}

const made = async (content: DatabaseContent): Promise<TestDatabase> => {
  const url = await ask("POST", content)
  const name = new URL(url).pathname.slice(1)
  return {
    url,
    drop: async () => {
      await ask("DELETE", name)
    }
  }
}

/** Makes an empty, uniquely named database in the PostgreSQL of this test run. */
export const makeTestDatabase = (): Promise<TestDatabase> => made("empty")

/** As {@link makeTestDatabase}, with the service's tables: a copy of tables that the run creates once. */
export const makeTestTables = (): Promise<TestDatabase> => made("tables")

/**
 * As {@link makeTestTables}, with the owner's account: a service that starts on it does what a second start does, and
 * deploys no demo. The login token is `ownerToken` of `databaseContents.ts`.
 */
export const makeOwnedTables = (): Promise<TestDatabase> => made("owner")
