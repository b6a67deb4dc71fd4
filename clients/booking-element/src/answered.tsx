import { type Answers, questionsFor, textOfAnswer } from './answers.ts';
import { type Contact, fitTravellers, travellersOf } from './contact-rules.ts';
import { bookedPickupText, pickupText } from './pickup.tsx';
import { answerText } from './question-field.tsx';
import { type Speech, useSpeech } from './speech.ts';
import { personName } from './travellers.tsx';
import type { Booking, Hold, Question, Tour } from './wire.ts';

interface AnsweredProps {
  tour: Tour;
  sale: Hold | Booking;
  /** Undefined: this tab does not know the answers, only which questions have one. */
  contact: Contact | undefined;
}

/** The pickup and the answers, as rows of the summary. */
export function Answered({ tour, sale, contact }: AnsweredProps) {
  const speech = useSpeech();
  const pickup =
    'hold_id' in sale
      ? pickupText(tour, sale, contact!, speech)
      : bookedPickupText(tour, sale, contact?.place, speech);
  return (
    <>
      <Row label={speech.words.ask.pickup} texts={pickup ? [pickup] : []} />
      {tour.questions.map((question) => (
        <Row
          key={question.code}
          label={question.label}
          texts={
            contact ? answerTexts(question, tour, sale, contact, speech) : marksOf(question, sale as Booking)
          }
        />
      ))}
    </>
  );
}

/** A row of the summary, with a line for each text. Renders no element without texts. */
export function Row({ label, texts }: { label: string; texts: string[] }) {
  if (texts.length === 0) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <ul>
          {texts.map((text) => (
            <li key={text}>
              <bdi>{text}</bdi>
            </li>
          ))}
        </ul>
      </dd>
    </>
  );
}

/** Returns the answers to one question in words: those of travellers with their person. */
function answerTexts(
  question: Question,
  tour: Tour,
  { party }: Hold | Booking,
  contact: Contact,
  speech: Speech,
) {
  const textOf = (answers: Answers) => {
    const text = textOfAnswer(answers, question).trim();
    return text && answerText(question, text, speech);
  };
  if (question.per === 'booking') return [textOf(contact.answers)].filter(Boolean);
  const categories = travellersOf(party, tour.categories);
  return fitTravellers(contact.travellers, categories).flatMap(({ category, answers }, index) => {
    const text = questionsFor([question], category).length > 0 && textOf(answers);
    return text ? `${personName(index, categories[index]!, speech)}: ${text}` : [];
  });
}

/** Returns a mark for a question that has an answer. */
function marksOf({ code }: Question, { answers }: Booking): string[] {
  return answers.some((answer) => answer.code === code && answer.answered) ? ['✓'] : [];
}
