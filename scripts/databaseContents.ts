/**
 * What a database of a test holds. `empty`: nothing. `tables`: the service's tables, without rows. `owner`: the tables and
 * the owner's account. Its login token is {@link ownerToken}.
 */
export const databaseContents = ["empty", "tables", "owner"] as const
export type DatabaseContent = (typeof databaseContents)[number]

/** The login token of the owner in every database that has one. */
export const ownerToken = `ct_${"owner-of-a-test".padEnd(43, "0")}`
