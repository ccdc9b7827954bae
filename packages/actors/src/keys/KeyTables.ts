import type { NounTables } from "../store/NounTables.ts"

/** API keys, which migration 4 made. */
export const keyTables: NounTables = {
  migrations: {},
  purge: [{ table: "api_keys", acts: true }]
}
