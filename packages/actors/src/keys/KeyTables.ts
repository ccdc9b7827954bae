import type { NounTables } from "../store/NounTables.ts"
import { keyTable } from "./ApiKeyStore.ts"

/** API keys, which migration 4 made. */
export const keyTables: NounTables = {
  migrations: {},
  purge: [{ table: "api_keys", acts: true, memory: keyTable.removal(({ projectId }) => projectId) }]
}
