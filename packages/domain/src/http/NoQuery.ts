import { Schema } from "effect"

/**
 * No query parameters: said by each route that takes none, so that a stray one is refused. An empty
 * struct would take any: to the schema library it is every value there is. Source: D-02.
 */
export const NoQuery = Schema.Record(Schema.String, Schema.Never)
