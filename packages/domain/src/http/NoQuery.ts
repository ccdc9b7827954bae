import { Schema } from "effect"

/** No query parameters: said by each route that takes none, so that a stray one is refused. D-02. */
export const NoQuery = Schema.Struct({})
