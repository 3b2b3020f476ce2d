/** Functions that show objects of one kind: one by its id or its name, and all that the arguments match. Pure; knows no kind. */

import type { TSchema } from "typebox";
import { fillPath } from "../object/identifier.ts";
import { viewItem, viewOf } from "../object/view.ts";
import { objectFromWire, wireNameOf } from "../object/wire.ts";
import { isGone, type ServicePort, type WireObject } from "../service-port.ts";
import type { ValueMap } from "../value.ts";
import { annotations, type Fields, fieldsOf, id, list, optional } from "./field.ts";
import { type FunctionType, providerFunction } from "./function.ts";
import { applyForms } from "./normal-form.ts";
import type { Refuse, ResourceType } from "./resource.ts";

type Args = { readonly [name: string]: unknown };

/** Objects of one kind, as functions show them. */
export interface Shown {
  readonly area: string;
  /** PascalCase: a `Volume` is shown by `getVolume` and `getVolumes`. */
  readonly name: string;
  /** What texts call one; default: its name. */
  readonly noun?: string;
  /** A group: what is shown of one. */
  readonly item: TSchema;
  /** One in our names; default: the fields that the answer has. */
  readonly show?: (object: WireObject, args: Args) => ValueMap;
  /** Path of their list, with the arguments of `within` in braces. */
  readonly collection: string;
  /** Arguments that say what the objects stand in; the last one is its id. */
  readonly within?: Fields;
  /** What texts call that (`Vpc`), with arguments in braces. */
  readonly holder?: string;
  /** The service's filter that keeps the list to the account's own, where it shows others too. */
  readonly own?: WireObject;
}

/** The objects of a type; `more` are fields of their answers beside the type's own. */
export function shown(
  type: ResourceType,
  special: Partial<Shown> & { readonly more?: Fields } = {},
): Shown & { readonly reference: string } {
  const { more, ...changes } = special;
  return {
    area: type.area,
    name: type.name,
    item: viewItem(type, more),
    show: (object, args) => viewOf(type, object, args, more),
    collection: type.collection,
    reference: type.key,
    ...(type.list?.own && { own: type.list.own }),
    ...changes,
  };
}

/** What a function that shows one object takes. */
interface One {
  readonly description?: string;
  /** The argument that is the object's id; default: `id`, with the digits of a type's. */
  readonly id?: Fields;
  /** Another argument that names it, in place of its id. */
  readonly by?: Fields;
  /** How texts say that it has that name; default: `labelled` for a label. */
  readonly says?: string;
}

/** The function that shows one object. It throws when there is none, naming the key, or several of that name. */
export function getOne(kind: Shown & { readonly reference?: string }, one: One): FunctionType {
  const { area, name, noun = name, within = {}, reference = "", own } = kind;
  const given = one.id ?? { id: id({ description: `Id of the ${noun}.`, reference }) };
  const [[key, field]] = Object.entries(given) as [[string, TSchema]];
  const [[other, otherField] = []] = Object.entries(one.by ?? {});
  const says = one.says ?? (other === "label" ? "labelled" : `with ${other}`);
  return providerFunction({
    area,
    name: `get${name}`,
    description: one.description ?? `One ${noun}${other ? `, by its id or its ${other}` : ""}.`,
    args: {
      ...within,
      ...(other && otherField ? { [key]: optional(field), [other]: optional(otherField) } : { [key]: field }),
    },
    result: fieldsOf(kind.item)!,
    ...(other && {
      check: (args: Args, refuse: Refuse) => needsOne(args, key, other, refuse),
    }),
    async call({ args, service }) {
      const wanted = args[key];
      if (wanted === undefined) {
        const found = (await listed(kind, args, service, own)).filter(matcher(one.by ?? {}, args));
        const what = `${noun}${own ? " of this account" : ""} ${says} "${args[other!]}"${inside(kind, args)}`;
        return show(kind, theOnly(found, what), args);
      }
      const path = `${fillPath(kind.collection, args)}/${encodeURIComponent(String(wanted))}`;
      const number = annotations(field).reference === undefined ? wanted : `with id ${wanted}`;
      return show(kind, await existing(`${noun} ${number}${inside(kind, args)}`, service.get(path)), args);
    },
  });
}

/** What a function that shows several objects takes. */
interface All {
  readonly description?: string;
  /** Optional arguments; an object is shown when it has the value of each, or holds it where it has a list. Compared in the argument's own form. */
  readonly filters?: Fields;
  /** Description of the list; default: `The <noun>s, by id.` */
  readonly says?: string;
}

/** The function that shows every object that the arguments match. */
export function getAll(kind: Shown, { filters = {}, description, says }: All = {}): FunctionType {
  const { area, name, noun = name, within = {} } = kind;
  const result = `${name.charAt(0).toLowerCase()}${name.slice(1)}s`;
  return providerFunction({
    area,
    name: `get${name}s`,
    description: description ?? `Every ${noun} of the account that the arguments match.`,
    args: {
      ...within,
      ...Object.fromEntries(Object.entries(filters).map(([each, field]) => [each, optional(field)])),
    },
    result: { [result]: list(kind.item, { description: says ?? `The ${noun}s, by id.` }) },
    async call({ args, service }) {
      const found = (await listed(kind, args, service)).filter(matcher(filters, args));
      return { [result]: found.map((object) => show(kind, object, args)) };
    },
  });
}

/** What was read, or an error that names the object when the service does not know it. */
export async function existing<T>(what: string, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!isGone(error)) throw error;
    throw new Error(`there is no ${what}`, { cause: error });
  }
}

function show({ item, show }: Shown, object: WireObject, args: Args): ValueMap {
  return show ? show(object, args) : objectFromWire(fieldsOf(item)!, object);
}

function listed(kind: Shown, args: Args, service: ServicePort, filter?: WireObject) {
  const read = service.list(fillPath(kind.collection, args), filter && { filter });
  const [noun, number] = holderOf(kind, args);
  return noun === undefined ? read : existing(`${noun} with id ${number}`, read);
}

function holderOf({ holder, within = {} }: Shown, args: Args) {
  if (holder === undefined) return [];
  const noun = holder.replace(/\{(\w+)\}/g, (_, name: string) => String(args[name]));
  return [noun, args[Object.keys(within).at(-1)!]];
}

function inside(kind: Shown, args: Args): string {
  const [noun, number] = holderOf(kind, args);
  return noun === undefined ? "" : ` in ${noun} ${number}`;
}

/** True for objects that have what is given of these arguments. */
function matcher(fields: Fields, args: Args) {
  const given = Object.entries(fields).filter(([name]) => args[name] !== undefined);
  return (object: WireObject) =>
    given.every(([name, field]) => {
      const form = (value: unknown) => applyForms(annotations(field).normal, String(value));
      const values = [object[wireNameOf(name, field)] ?? []].flat();
      return values.some((value) => form(value) === form(args[name]));
    });
}

/** Refuses arguments that name an object by both, or by neither, of its id and its name. */
function needsOne(args: Args, one: string, other: string, refuse: Refuse): void {
  const given = [one, other].filter((name) => args[name] !== undefined);
  if (given.length === 0) refuse(one, `is required, or ${other} in its place`);
  if (given.length === 2) refuse(other, `cannot be combined with ${one}; give one of them`);
}

/** The only object; an error that names the key when there is none, or ids when there are several. */
function theOnly(objects: readonly WireObject[], what: string): WireObject {
  const [first, ...more] = objects;
  if (!first) throw new Error(`there is no ${what}`);
  if (more.length === 0) return first;
  throw new Error(
    `there are ${objects.length} of ${what}: ids ${objects.map((object) => object["id"]).join(", ")}`,
  );
}
