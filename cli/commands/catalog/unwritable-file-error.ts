import { AppError } from '../../../services/platform/errors';

export class UnwritableFileError extends AppError {
  readonly code = 'file_not_written';

  constructor(file: string, reason: string) {
    super(`${file} cannot be written (${reason})`);
  }
}
