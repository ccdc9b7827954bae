import { ServerLimits } from "@atrium/domain/servers/ServerLimits"

const perHome = ServerLimits.serversPerProject.max

/**
 * A server's index says which server of its project it is, and the home of its runner. The home is a
 * number that the database gives a runner's address. So the index tells the runner, and a server
 * never changes its runner. Home 0 is that of a runner that is alone. Source: C-433.
 */
export const serverIndexOf = (home: number, nth: number): number => home * perHome + nth

/** Which server of its project: the first one is 0. */
export const nthOf = (serverIndex: number): number => serverIndex % perHome

export const homeOf = (serverIndex: number): number => Math.floor(serverIndex / perHome)

/** The shards of a home are its runner's alone. */
export const groupOf = (home: number): string => (home === 0 ? "default" : `home-${home}`)
