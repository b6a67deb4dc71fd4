import { AppError } from '../../platform/errors';

export class ChangeNotFoundError extends AppError {
  readonly code = 'change_not_found';

  constructor(id: number) {
    super(`There is no change ${id} in the audit log`);
  }
}
