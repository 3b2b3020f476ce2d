/** A program whose run is remembered, and repeated without it for as long as whoever it registers with answers as the first one did. */

import type { Urn } from "../../core/protocol.ts";
import type { Value, ValueMap } from "../../core/value.ts";
import { sameValue } from "../deployment/property.ts";
import { type Goal, type Host, type Program, type Registered, resourcesNamedBy } from "../host.ts";

interface Registration {
  readonly goal: Goal;
  readonly urn: Urn;
  readonly answer: Registered;
  /** How many had been answered when it was made. */
  readonly after: number;
}

interface Recording {
  /** In the order in which they were made. */
  readonly registrations: readonly Registration[];
  /** In the order in which they were answered. */
  readonly answered: readonly Urn[];
  readonly logs: readonly Parameters<Host["log"]>[];
  readonly outputs: ValueMap;
}

type Answers = Map<Urn, Promise<Registered>>;

/**
 * The same program; a run that ends well is remembered. Those after it make the registrations of that one, and run the program itself only when an
 * answer is another: then it gets the answers that there are already. What asks for more than registrations is run each time.
 */
export function recorded(program: Program): Program {
  let recording: Recording | undefined;
  return {
    ...program,
    async run(host, first) {
      if (recording === undefined || (first?.size ?? 0) > 0) {
        const recorder = recorderOf(host);
        const outputs = await program.run(recorder.host, first);
        recording = recorder.recording(outputs);
        return outputs;
      }
      const answers: Answers = new Map();
      const repeated = recording;
      if (await repeat(repeated, host, answers, program.graph !== undefined)) {
        for (const args of repeated.logs) host.log(...args);
        return repeated.outputs;
      }
      // It stays: the next rehearsal answers as the one that it is of.
      return program.run(answering(host, answers), first);
    },
  };
}

/** Hears what a program asks the host. */
function recorderOf(host: Host) {
  const registrations: Registration[] = [];
  const answered: Urn[] = [];
  const logs: Parameters<Host["log"]>[] = [];
  let asksMore = false;
  return {
    host: {
      ...host,
      async register(goal): Promise<Registered> {
        const after = answered.length;
        const index = registrations.length;
        registrations.length += 1;
        const answer = await host.register(goal);
        answered.push(answer.urn);
        registrations[index] = { goal, urn: answer.urn, answer, after };
        return answer;
      },
      read(goal) {
        asksMore = true;
        return host.read(goal);
      },
      invoke(token, args, options) {
        asksMore = true;
        return host.invoke(token, args, options);
      },
      log(...args) {
        logs.push(args);
        host.log(...args);
      },
    } satisfies Host,
    recording: (outputs: ValueMap): Recording | undefined =>
      asksMore ? undefined : { registrations, answered, logs, outputs },
  };
}

/**
 * Makes the registrations of the recording. Each waits for what it waited for: where all of that `isStated`, for the resources that it names, else for
 * everything that had been answered. False when an answer is another than it was; those that wait for it are not made then.
 */
async function repeat(
  { registrations, answered }: Recording,
  host: Host,
  answers: Answers,
  isStated: boolean,
): Promise<boolean> {
  const same = new Map<Urn, Promise<boolean>>();
  const upTo = [Promise.resolve(true)];
  const allBefore = (count: number): Promise<boolean> => {
    for (let n = upTo.length; n <= count; n += 1) {
      const last = answered[n - 1] as Urn;
      upTo.push(all([upTo[n - 1] as Promise<boolean>, same.get(last) ?? Promise.resolve(true)]));
    }
    return upTo[count] as Promise<boolean>;
  };
  for (const { goal, urn, answer, after } of registrations) {
    const before = isStated
      ? all([...resourcesNamedBy(goal)].map((other) => same.get(other) ?? Promise.resolve(true)))
      : allBefore(after);
    const isSame = before.then(async (mayGoOn) => {
      if (!mayGoOn) return false;
      const asked = host.register(goal);
      answers.set(urn, asked);
      try {
        return isAnswer(await asked, answer);
      } catch {
        // The program itself is told, when it asks.
        return false;
      }
    });
    same.set(urn, isSame);
  }
  return all([...same.values()]);
}

const all = async (parts: readonly Promise<boolean>[]): Promise<boolean> =>
  !(await Promise.all(parts)).includes(false);

const isAnswer = (one: Registered, other: Registered): boolean =>
  one.urn === other.urn &&
  sameValue(one.id, other.id) &&
  sameValue(one.outputs as Value, other.outputs as Value);

/** The host, which does not hear again what it has answered. */
function answering(host: Host, answers: Answers): Host {
  return {
    ...host,
    register: (goal) =>
      answers.get(host.urn(goal.type, goal.name, goal.options.parent)) ?? host.register(goal),
  };
}
