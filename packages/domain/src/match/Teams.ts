import type { TeamRule } from "./QueueRules.ts"

/** A part of a match that stays together: a player, or a party. */
interface Part {
  readonly size: number
  /** Of a party the mean. */
  readonly rating: number
}

/** A team, and the players that it needs at least. */
interface Wanted {
  readonly rule: TeamRule
  readonly least: number
}

/** A team while it is made up. */
interface Filling<P extends Part> extends Wanted {
  readonly parts: Array<P>
  players: number
  sum: number
}

const ratingsOf = ({ size, rating }: Part): number => size * rating

/** Whether these parties go into the teams; single players take what is left. */
export const partiesFit = (
  sizes: ReadonlyArray<number>,
  teams: ReadonlyArray<TeamRule>
): boolean => {
  const left = teams.map(({ max }) => max)
  return sizes.toSorted((one, other) => other - one).every((size) => takeTightest(left, size))
}

/** Takes the places where the fewest are left over. */
const takeTightest = (left: Array<number>, size: number): boolean => {
  let best = -1
  for (const [at, places] of left.entries()) {
    if (places >= size && (best < 0 || places < (left[best] ?? 0))) best = at
  }
  if (best < 0) return false
  left[best] = (left[best] ?? 0) - size
  return true
}

/**
 * Makes up teams: parties first, the largest ahead, then players from the strongest on, each to the team that has the
 * fewest players, and of those the lowest sum. Then the one swap is made that brings the sums closest. Every part goes
 * into one team. `null` = the parts do not make up these teams.
 *
 * @param atLeast the players that each team needs, by its place
 */
export const makeTeams = <P extends Part>(
  parts: ReadonlyArray<P>,
  rules: ReadonlyArray<TeamRule>,
  atLeast: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<P>> | null => {
  const bySize = parts.toSorted((one, other) => other.size - one.size || other.rating - one.rating)
  const wanted = rules.map((rule, at) => ({ rule, least: atLeast[at] ?? 0 }))
  const teams = dealt(bySize, wanted, fewest) ?? dealt(bySize, wanted, tightest)
  if (teams === null) return null
  swapOnce(teams)
  return teams.map((team) => team.parts)
}

type Choice = <P extends Part>(open: ReadonlyArray<Filling<P>>) => Filling<P> | undefined

const lowest = <P extends Part>(
  open: ReadonlyArray<Filling<P>>,
  weigh: (team: Filling<P>) => number
): Filling<P> | undefined => {
  let best: Filling<P> | undefined
  for (const team of open) {
    const difference = best === undefined ? -1 : weigh(team) - weigh(best)
    if (difference < 0 || (difference === 0 && team.sum < (best?.sum ?? 0))) best = team
  }
  return best
}

const fewest: Choice = (open) => lowest(open, (team) => team.players)
const tightest: Choice = (open) => lowest(open, (team) => team.rule.max - team.players)

const dealt = <P extends Part>(
  parts: ReadonlyArray<P>,
  wanted: ReadonlyArray<Wanted>,
  choose: Choice
): ReadonlyArray<Filling<P>> | null => {
  const teams = wanted.map((team): Filling<P> => ({ ...team, parts: [], players: 0, sum: 0 }))
  const lacks = (team: Filling<P>): boolean => team.players < team.least
  for (const part of parts) {
    const open = teams.filter((team) => team.players + part.size <= team.rule.max)
    const lacking = open.filter(lacks)
    const team = choose(lacking.length > 0 ? lacking : open)
    if (team === undefined) return null
    team.parts.push(part)
    team.players += part.size
    team.sum += ratingsOf(part)
  }
  return teams.some(lacks) ? null : teams
}

const spreadOf = (sums: ReadonlyArray<number>): number => Math.max(...sums) - Math.min(...sums)

/** Swaps the two parts of one size that bring the sums of the teams closest, if any two do. */
const swapOnce = <P extends Part>(teams: ReadonlyArray<Filling<P>>): void => {
  const sums = teams.map(({ sum }) => sum)
  let best = { spread: spreadOf(sums), swap: (): void => undefined }
  for (const [here, one] of teams.entries()) {
    for (const [there, other] of teams.entries()) {
      if (there <= here) continue
      for (const [at, mine] of one.parts.entries()) {
        for (const [to, theirs] of other.parts.entries()) {
          if (mine.size !== theirs.size || mine.rating === theirs.rating) continue
          const moved = ratingsOf(theirs) - ratingsOf(mine)
          const spread = spreadOf(
            sums.map((sum, team) => sum + (team === here ? moved : team === there ? -moved : 0))
          )
          if (spread >= best.spread) continue
          const swap = (): void => {
            one.parts[at] = theirs
            other.parts[to] = mine
          }
          best = { spread, swap }
        }
      }
    }
  }
  best.swap()
}
