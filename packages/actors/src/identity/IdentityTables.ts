import type { NounTables } from "../store/NounTables.ts"
import { jwtSecretTable } from "./JwtSecretStore.ts"

/** Secrets of join credentials, which migration 1 made. */
export const identityTables: NounTables = {
  migrations: {},
  purge: [
    {
      table: "jwt_secrets",
      acts: true,
      memory: jwtSecretTable.removal((_, projectId) => projectId)
    }
  ]
}
