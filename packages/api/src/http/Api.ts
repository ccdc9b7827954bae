import { apiOf } from "@atrium/domain/http/Api"

import { features } from "../features.ts"

type Group = (typeof features)[number]["contract"][number]

const [first, ...others] = features.flatMap<Group>(({ contract }) => contract)
if (first === undefined) throw new Error("no feature has a contract")

/** The whole HTTP contract of the service: the groups of every feature. */
export const Api = apiOf<Group>(first, ...others)
