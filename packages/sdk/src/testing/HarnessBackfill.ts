import { type HarnessCall, refuseFor } from "./HarnessCalls.ts"

/** The most players that a room may ask for. Spec: Quick-match limits; T-17. */
const seatsMax = 64

/** The seats that a room offers to quick match. Nobody is matched into a harness. */
export class HarnessBackfill {
  seats = 0

  readonly calls: Readonly<Record<string, HarnessCall>> = {
    "match.backfill": {
      answer: ({ seats }: { readonly seats: number }) => {
        const fits = Number.isInteger(seats) && seats >= 0 && seats <= seatsMax
        refuseFor(fits ? null : `seats: must be a whole number from 0 to ${seatsMax}`)
        this.seats = seats
        return {}
      }
    }
  }
}
