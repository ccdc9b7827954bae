import { authRows } from "./auth.ts"
import { cliRows } from "./cli.ts"
import { connectionRows } from "./connections.ts"
import { declarationRows } from "./declarations.ts"
import { errorRows } from "./errors.ts"
import { fileRows } from "./file.ts"
import { gameRows } from "./games.ts"
import { keyRows } from "./keys.ts"
import { overviewRows } from "./overview.ts"
import { projectRows } from "./project.ts"
import { rateRows } from "./rates.ts"
import { replayRows } from "./replay.ts"
import { roomRows } from "./rooms.ts"
import { routeRows } from "./routes.ts"
import type { Row } from "./Row.ts"
import { serverRows } from "./servers.ts"
import { stateRows } from "./states.ts"
import { storeRows } from "./store.ts"

/** Every row of the suite, by area of the specification. */
export const rows: ReadonlyArray<Row> = [
  ...overviewRows,
  ...roomRows,
  ...keyRows,
  ...projectRows,
  ...fileRows,
  ...declarationRows,
  ...stateRows,
  ...routeRows,
  ...cliRows,
  ...authRows,
  ...errorRows,
  ...serverRows,
  ...connectionRows,
  ...storeRows,
  ...rateRows,
  ...gameRows,
  ...replayRows
]

const byId = new Map(rows.flatMap((row) => row.ids.map((id) => [id, row] as const)))

/** The row of a requirement, of the kind that a check expects. Throws when there is none: a check is wrong. */
export const rowOf = <Kind extends Row["kind"]>(
  kind: Kind,
  id: string
): Extract<Row, { readonly kind: Kind }> => {
  const row = byId.get(id)
  if (row === undefined) throw new Error(`no row for ${id}`)
  if (!isOf(row, kind)) throw new Error(`the row of ${id} is a ${row.kind}, not a ${kind}`)
  return row
}

const isOf = <Kind extends Row["kind"]>(
  row: Row,
  kind: Kind
): row is Extract<Row, { readonly kind: Kind }> => row.kind === kind
