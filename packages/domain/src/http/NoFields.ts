import { Schema } from "effect"

/** A body without fields: `{}`. An empty struct would be every value there is. Source: D-02. */
export const NoFields = Schema.Record(Schema.String, Schema.Never)
