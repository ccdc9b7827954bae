/**
 * What a database of a test holds: nothing; the service's tables with nothing in them; or those with the owner's account,
 * whose login token is {@link ownerToken}.
 */
export const databaseContents = ["empty", "tables", "owner"] as const
export type DatabaseContent = (typeof databaseContents)[number]

/** The login token of the owner in every database that has one. */
export const ownerToken = `ct_${"owner-of-a-test".padEnd(43, "0")}`
